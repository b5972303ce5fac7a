package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot/plotter"
)

// measuredFile has what `make bench RECORD=1` measured: see test/bench.
const measuredFile = "test/bench/measured.json"

// busy is the load for each processor before a run from which times and memory are not shown, and taken the share of the processors that others
// may take during it, as on the page.
const busy, taken = 0.25, 0.05

// measured is what charts show of a run.
type measured struct {
	Cloud      string
	Nodes      int
	Load       float64
	CPUs       int `json:"cpus"`
	Others     float64
	Initialise struct {
		Calls   struct{ Total int }
		Seconds float64
	}
	Steady       struct{ CallsPerHour int }
	SecondEnsure struct{ Writes int }
	Services     int
	PeakMemoryMB map[string]float64
}

// figures are the charts of what was measured, by name.
var figures = []struct {
	name string
	chart
	// quiet says that the machine and what else runs on it are in the figure.
	quiet bool
	value func(measured) float64
}{
	{"calls", chart{title: "Requests to the cloud until all Nodes are initialised", x: "Nodes", y: "requests"}, false, func(m measured) float64 { return float64(m.Initialise.Calls.Total) }},
	{"idle", chart{title: "Requests to the cloud in an hour in which nothing changes", x: "Nodes", y: "requests an hour"}, false, func(m measured) float64 { return float64(m.Steady.CallsPerHour) }},
	{"time", chart{title: "Time until all Nodes are initialised", x: "Nodes", y: "seconds"}, true, func(m measured) float64 { return m.Initialise.Seconds }},
	{"memory", chart{title: "Peak memory while all Nodes are initialised", x: "Nodes", y: "MB"}, true, func(m measured) float64 { return m.PeakMemoryMB["initialise"] }},
}

// drawMeasured draws the figures of `make bench`, a line for each cloud.
func drawMeasured(root string, into map[string][]byte) error {
	all, err := readMeasured(root)
	if err != nil {
		return err
	}
	for _, f := range figures {
		lines := series(all, f.quiet, f.value)
		f.height, f.description = chartHeight, describe(lines)
		for _, t := range themes {
			if into[t.file(f.name)], err = f.lines(t, lines); err != nil {
				return err
			}
		}
	}
	return nil
}

func readMeasured(root string) (all []measured, err error) {
	data, err := os.ReadFile(filepath.Join(root, measuredFile))
	if err != nil {
		return nil, fmt.Errorf("reading what was measured: %w", err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("reading %s: %w", measuredFile, err)
	}
	return all, nil
}

// series returns a line for each cloud. Clouds keep their place, and with it their colour, also where they have no point.
func series(all []measured, quiet bool, value func(measured) float64) []line {
	var lines []line
	for _, m := range all {
		at := slices.IndexFunc(lines, func(l line) bool { return l.name == m.Cloud })
		if at < 0 {
			at = len(lines)
			lines = append(lines, line{name: m.Cloud})
		}
		if !quiet || m.Load <= busy*float64(m.CPUs) && m.Others <= taken {
			lines[at].points = append(lines[at].points, plotter.XY{X: float64(m.Nodes), Y: value(m)})
		}
	}
	return lines
}

// describe says the figures in words.
func describe(lines []line) (text string) {
	for _, l := range lines {
		for _, p := range l.points {
			text += fmt.Sprintf("%s with %.0f Nodes: %.4g. ", l.name, p.X, p.Y)
		}
	}
	return text
}
