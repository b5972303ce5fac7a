package bench

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Table writes one column per result.
func Table(w io.Writer, results []Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, unit string, value func(Result) string) {
		fmt.Fprintf(t, "%s\t%s", name, unit)
		for _, r := range results {
			fmt.Fprintf(t, "\t%s", value(r))
		}
		fmt.Fprintln(t)
	}
	count := func(value func(Result) int) func(Result) string {
		return func(r Result) string { return strconv.Itoa(value(r)) }
	}
	seconds := func(value func(Result) float64) func(Result) string {
		return func(r Result) string { return strconv.FormatFloat(value(r), 'f', 1, 64) }
	}
	row("nodes", "", count(func(r Result) int { return r.Nodes }))
	row("initialise: cloud calls", "pages+10", count(func(r Result) int { return r.Initialise.Calls.Total }))
	row("initialise: API-server writes", "", count(func(r Result) int { return r.Initialise.Writes.Total }))
	row("initialise: time", "s", seconds(func(r Result) float64 { return r.Initialise.Seconds }))
	row("initialise: processor", "ms/node", seconds(func(r Result) float64 { return r.Initialise.CPUMillisecondsPerNode }))
	row("initialise: peak memory", "MB", seconds(func(r Result) float64 { return r.PeakMemoryMB[initialiseProcess] }))
	row("with Services: peak memory", "MB", seconds(func(r Result) float64 {
		return max(r.PeakMemoryMB[defaultProcess], r.PeakMemoryMB[steadyProcess])
	}))
	row("restart: cloud calls", "", count(func(r Result) int { return r.Restart.Total }))
	row("10 % NotReady: cloud calls", "/min", count(func(r Result) int { return r.NotReadyMinute.Total }))
	row("status pass: cloud calls", "pages", count(func(r Result) int { return r.Steady.StatusPass.Total }))
	row("idle: cloud calls, extrapolated", "/h", count(func(r Result) int { return r.Steady.CallsPerHour }))
	row("idle: API-server writes in the window", "", count(func(r Result) int { return r.Steady.Writes.Total }))
	row("Services made: cloud calls", "", count(func(r Result) int { return r.Create.Calls.Total }))
	row("Services made: API-server writes", "", count(func(r Result) int { return r.Create.Writes.Total }))
	row("Services made: address after activation", "s", func(r Result) string { return spread(r.Create.AfterActivation) })
	row("Services ensured again: cloud calls (writes)", "", func(r Result) string {
		return fmt.Sprintf("%d (%d)", r.SecondEnsure.Total, r.SecondEnsure.Writes)
	})
	row("10 nodes added: cloud calls (writes)", "", func(r Result) string {
		return fmt.Sprintf("%d (%d)", r.AddNodes.Calls.Total, r.AddNodes.Calls.Writes)
	})
	row("10 nodes added: in all balancers", "s", seconds(func(r Result) float64 { return r.AddNodes.Seconds }))
	row("Services deleted: cloud calls (writes)", "", func(r Result) string {
		return fmt.Sprintf("%d (%d)", r.Delete.Calls.Total, r.Delete.Calls.Writes)
	})
	row("Services deleted: time", "s", seconds(func(r Result) float64 { return r.Delete.Seconds }))
	row("answers 429", "", count(Result.throttled))
	return t.Flush()
}

// spread is the median and the greatest of ascending numbers.
func spread(ascending []float64) string {
	if len(ascending) == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f, last %.1f", ascending[len(ascending)/2], ascending[len(ascending)-1])
}

// Routes writes the calls of each step by route.
func Routes(w io.Writer, r Result) {
	for _, step := range []struct {
		name  string
		calls Calls
	}{
		{"initialise", r.Initialise.Calls}, {"restart", r.Restart}, {"10 % NotReady, 1 min", r.NotReadyMinute},
		{"Services made", r.Create.Calls}, {"Services ensured again", r.SecondEnsure}, {"window with a status pass", r.Steady.Window},
		{"10 nodes added", r.AddNodes.Calls}, {"Services deleted", r.Delete.Calls},
	} {
		var parts []string
		for _, route := range slices.Sorted(maps.Keys(step.calls.Routes)) {
			parts = append(parts, fmt.Sprintf("%s %d", route, step.calls.Routes[route]))
		}
		fmt.Fprintf(w, "  %s: %s\n", step.name, strings.Join(parts, ", "))
	}
}
