package main

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// style is how a run of text looks.
type style struct {
	colour int // from 1 of the eight colours of a terminal, or plain
	bold   bool
}

const plain = 0

// span is a run of text of one style.
type span struct {
	column int
	text   string
	style
}

// row is one line of a terminal. Blanks between spans are nowhere.
type row []span

// terminal is an emulated one.
type terminal struct {
	emulator *vt.Emulator
	rows     int
}

func newTerminal(columns, rows int) *terminal {
	return &terminal{emulator: vt.NewEmulator(columns, rows), rows: rows}
}

// write sends what a program printed. As on a terminal, a line feed also returns the carriage.
func (t *terminal) write(text string) error {
	_, err := t.emulator.WriteString(strings.ReplaceAll(text, "\n", "\r\n"))
	return err
}

// screen returns all rows that are shown.
func (t *terminal) screen() []row {
	all := make([]row, t.rows)
	for y := range all {
		all[y] = t.line(y)
	}
	return all
}

func (t *terminal) line(y int) row {
	var r row
	for x := range t.emulator.Width() {
		cell := t.emulator.CellAt(x, y)
		if cell == nil || strings.TrimSpace(cell.Content) == "" {
			continue
		}
		s := styleOf(cell.Style)
		if last := len(r) - 1; last >= 0 && r[last].style == s && gap(r[last], x) < 2 {
			r[last].text += strings.Repeat(" ", gap(r[last], x)) + cell.Content
			continue
		}
		r = append(r, span{column: x, text: cell.Content, style: s})
	}
	return r
}

// gap is how many blanks are between a span and a column.
func gap(s span, column int) int { return column - s.column - len([]rune(s.text)) }

func styleOf(s uv.Style) style {
	return style{colour: basic(s.Fg), bold: s.Attrs&uv.AttrBold != 0}
}

// basic returns which of the eight colours it is, bright or not.
func basic(c color.Color) int {
	if b, ok := c.(ansi.BasicColor); ok {
		return int(b)%8 + 1
	}
	return plain
}

// Sizes in pixels. Columns are as wide as those of most fixed fonts of that size.
const (
	fontSize    = 14
	columnWidth = 8.43
	lineHeight  = 20
	margin      = 16
)

// svg is the text of a row, on the line y.
func (r row) svg(b *strings.Builder, t theme, y int) {
	for _, s := range r {
		text := html.EscapeString(s.text)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f"%s>%s</text>`, margin+float64(s.column)*columnWidth, baseline(y),
			float64(len([]rune(s.text)))*columnWidth, s.attributes(t), text)
	}
}

func baseline(y int) int { return margin + y*lineHeight + fontSize }

func (s style) attributes(t theme) string {
	var b strings.Builder
	if s.colour != plain {
		fmt.Fprintf(&b, ` fill="%s"`, t.terminal[s.colour-1])
	}
	if s.bold {
		b.WriteString(` font-weight="bold"`)
	}
	return b.String()
}

// frame begins a picture of a terminal of that size.
func frame(b *strings.Builder, t theme, columns, rows int, title string) {
	width, height := 2*margin+float64(columns)*columnWidth, 2*margin+rows*lineHeight
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" role="img" aria-labelledby="title">`+"\n",
		width, height, width, height)
	fmt.Fprintf(b, "<title id=\"title\">%s</title>\n", html.EscapeString(title))
	fmt.Fprintf(b, `<rect x="0.5" y="0.5" width="%.0f" height="%d" rx="8" fill="%s" stroke="%s"/>`+"\n", width-1, height-1, t.ground, t.border)
	fmt.Fprintf(b, `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,Liberation Mono,monospace" font-size="%d" fill="%s" xml:space="preserve">`+"\n",
		fontSize, t.text)
}

const frameEnd = "</g>\n</svg>\n"
