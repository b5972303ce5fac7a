package main

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// line is a series of points with its name.
type line struct {
	name   string
	points plotter.XYs
}

// chart is what lines and bars have around them.
type chart struct {
	title, description, x, y string
	height                   vg.Length
}

// Sizes of charts, in points: as wide as a page of the site.
const (
	chartWidth  = 520
	chartHeight = 260
)

// lines draws a chart with a line for each series. What was measured once is a point.
func (c chart) lines(t theme, all []line) ([]byte, error) {
	p := c.plot(t)
	for i, l := range all {
		if len(l.points) == 0 {
			continue
		}
		drawn, points, err := plotter.NewLinePoints(l.points)
		if err != nil {
			return nil, fmt.Errorf("drawing the line %s of %q: %w", l.name, c.title, err)
		}
		colour := hex(t.series[i%len(t.series)])
		drawn.Color, drawn.Width = colour, 2
		points.Color, points.Radius, points.Shape = colour, 3.5, shapes[i%len(shapes)]
		p.Add(drawn, points)
		p.Legend.Add(l.name, drawn, points)
	}
	p.Legend.Top, p.Legend.Left, p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = true, true, 10, -4, 3
	p.X.Min, p.Y.Min = 0, 0
	p.X.Max *= 1.03 // room for the last number below it
	p.Y.Max *= 1.08
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(round), plot.TickerFunc(round)
	return c.svg(p)
}

// round marks an axis at four to eight round numbers.
func round(_, most float64) (ticks []plot.Tick) {
	step := 1.0
	for factors, n := [...]float64{2, 2.5, 2}, 0; most/step > 8; n++ {
		step *= factors[n%len(factors)]
	}
	for at := 0.0; at <= most; at += step {
		ticks = append(ticks, plot.Tick{Value: at, Label: strconv.FormatFloat(at, 'f', -1, 64)})
	}
	return ticks
}

// shapes tell lines apart where colours do not.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}}

// group is a pair of bars, or more, that belong together.
type group struct {
	name   string
	values []float64
}

// barWidth is how thick a bar is.
const barWidth = 9

// bars draws lying groups of bars, the first on top, with their values at their ends.
func (c chart) bars(t theme, names []string, groups []group) ([]byte, error) {
	p := c.plot(t)
	var labels []string
	for _, g := range slices.Backward(groups) {
		labels = append(labels, g.name)
	}
	for s, name := range names {
		offset := vg.Length(float64(len(names)-1)/2-float64(s)) * (barWidth + 1)
		bars, numbers, err := barsOf(t, s, offset, groups)
		if err != nil {
			return nil, fmt.Errorf("drawing the bars %s of %q: %w", name, c.title, err)
		}
		p.Add(bars, numbers)
		p.Legend.Add(name, bars)
	}
	p.Legend.Top, p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = true, -4, -76, 3 // beside short bars
	p.NominalY(labels...)
	p.X.Min = 0
	p.X.Max *= 1.5 // room for the legend
	p.X.Tick.Marker = plot.TickerFunc(round)
	return c.svg(p)
}

// barsOf are the bars of one name in all groups, and their values.
func barsOf(t theme, name int, offset vg.Length, groups []group) (*plotter.BarChart, *plotter.Labels, error) {
	var values plotter.Values
	var ends plotter.XYLabels
	for _, g := range slices.Backward(groups) {
		v := g.values[name]
		ends.XYs = append(ends.XYs, plotter.XY{X: v, Y: float64(len(values))})
		ends.Labels = append(ends.Labels, strconv.FormatFloat(v, 'f', -1, 64))
		values = append(values, v)
	}
	bars, err := plotter.NewBarChart(values, barWidth)
	if err != nil {
		return nil, nil, err
	}
	bars.Horizontal, bars.Offset, bars.Color, bars.LineStyle.Width = true, offset, hex(t.series[name]), 0
	numbers, err := plotter.NewLabels(ends)
	if err != nil {
		return nil, nil, err
	}
	for i := range numbers.TextStyle {
		numbers.TextStyle[i].Color, numbers.TextStyle[i].Font = hex(t.text), face(8)
		numbers.TextStyle[i].YAlign = draw.YCenter
	}
	numbers.Offset = vg.Point{X: 3, Y: offset}
	return bars, numbers, nil
}

// plot returns an empty one in the colours of a theme, on no ground.
func (c chart) plot(t theme) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	p.Title.Text, p.Title.Padding = c.title, 8
	p.Title.TextStyle.Color, p.Title.TextStyle.Font = hex(t.text), face(12)
	p.Legend.TextStyle.Color, p.Legend.TextStyle.Font = hex(t.text), face(10)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Color, axis.Tick.Color, axis.Tick.Label.Color, axis.Label.TextStyle.Color = hex(t.faint), hex(t.faint), hex(t.text), hex(t.text)
		axis.Tick.Label.Font, axis.Label.TextStyle.Font, axis.Label.Padding = face(10), face(10), 4
	}
	p.X.Label.Text, p.Y.Label.Text = c.x, c.y
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = hex(t.border), hex(t.border)
	p.Add(grid)
	return p
}

func face(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// svg writes the plot. It has the fonts of the reader's system, and a text for who does not see it.
func (c chart) svg(p *plot.Plot) ([]byte, error) {
	canvas := vgsvg.New(chartWidth, c.height)
	p.Draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("writing the chart %q: %w", c.title, err)
	}
	text := b.String()
	_, text, _ = strings.Cut(text, "<svg")
	head, body, _ := strings.Cut(text, ">")
	text = "<svg" + head + " role=\"img\" aria-labelledby=\"title\">\n<title id=\"title\">" + html.EscapeString(c.title+". "+c.description) + "</title>" + body
	return []byte(plainFonts.Replace(text)), nil
}

// plainFonts puts those that every system has behind the plot's, whose letters are as wide.
var plainFonts = strings.NewReplacer(`font-family:Liberation Sans`, `font-family:Liberation Sans,Arial,Helvetica,sans-serif`)

// hex reads a colour of a theme.
func hex(text string) color.Color {
	n, _ := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 32) // the themes are tested
	return color.RGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 0xff}
}
