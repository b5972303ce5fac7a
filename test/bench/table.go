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

// row is one measure.
type row struct {
	name, unit string
	// time says that the machine and what else runs on it are in the figure; services that it is about
	// load balancers.
	time, services bool
	value          func(Result) string
}

// rows are all measures, in the order of a run.
var rows = []row{
	{"initialise: cloud calls", "", false, false, count(func(r Result) int { return r.Initialise.Calls.Total })},
	{"initialise: API-server writes", "", false, false, count(func(r Result) int { return r.Initialise.Writes.Total })},
	{"initialise: time", "s", true, false, decimal(func(r Result) float64 { return r.Initialise.Seconds })},
	{"initialise: requests of others to the API server", "ms", true, false, func(r Result) string { return r.Initialise.Others.String() }},
	{"initialise: processor", "ms/node", true, false, decimal(func(r Result) float64 { return r.Initialise.CPUMillisecondsPerNode })},
	{"initialise: peak memory", "MB", true, false, decimal(func(r Result) float64 { return r.PeakMemoryMB[initialiseProcess] })},
	{"with Services: peak memory", "MB", true, true, decimal(func(r Result) float64 {
		return max(r.PeakMemoryMB[defaultProcess], r.PeakMemoryMB[steadyProcess])
	})},
	{"peak memory: of it pages of the binary", "MB", true, false, measured(func(r Result) float64 { return r.BinaryMB })},
	{"restart: cloud calls", "", false, false, count(func(r Result) int { return r.Restart.Total })},
	{"10 % NotReady: cloud calls", "/min", false, false, count(func(r Result) int { return r.NotReady.perMinute() })},
	{"leader stopped: to the next one's first Node", "s", true, false, decimal(func(r Result) float64 { return r.Takeover.StoppedSeconds })},
	{"leader killed: to the next one's first Node", "s", true, false, decimal(func(r Result) float64 { return r.Takeover.KilledSeconds })},
	{"status pass: cloud calls", "", false, false, count(func(r Result) int { return r.Steady.StatusPass.Total })},
	{"idle: cloud calls, extrapolated", "/h", false, false, count(func(r Result) int { return r.Steady.CallsPerHour })},
	{"idle: API-server writes in the window", "", false, false, count(func(r Result) int { return r.Steady.Writes.Total })},
	{"Services made: cloud calls (writes)", "", false, true, calls(func(r Result) Calls { return r.Create.Calls })},
	{"Services made: API-server writes", "", false, true, count(func(r Result) int { return r.Create.Writes.Total })},
	{"Services made: time", "s", true, true, decimal(func(r Result) float64 { return r.Create.Seconds })},
	{"Services made: processor", "s", true, true, measured(func(r Result) float64 { return r.Create.CPUSeconds })},
	{"Services made: address after activation", "s", true, true, func(r Result) string { return spread(r.Create.AfterActivation) }},
	{"Services ensured again: cloud calls (writes)", "", false, true, calls(func(r Result) Calls { return r.SecondEnsure })},
	{"Services touched, nothing to change: cloud calls (writes)", "", false, true, ifTouched(calls(func(r Result) Calls { return r.Unchanged.Calls }))},
	{"Services touched, nothing to change: processor", "ms each", true, true, measured(Result.unchangedCPU)},
	{"10 nodes added: cloud calls (writes)", "", false, true, ifAdded(calls(func(r Result) Calls { return r.AddNodes.Calls }))},
	{"10 nodes added: in all balancers", "s", true, true, ifAdded(decimal(func(r Result) float64 { return r.AddNodes.Seconds }))},
	{"Services deleted: cloud calls (writes)", "", false, true, calls(func(r Result) Calls { return r.Delete.Calls })},
	{"Services deleted: time", "s", true, true, decimal(func(r Result) float64 { return r.Delete.Seconds })},
	{"all of 10 machines replaced: cloud calls (writes)", "", false, true, ifReplaced(calls(func(r Result) Calls { return r.ReplaceAll.Calls }))},
	{"all of 10 machines replaced: new targets after", "s", true, true, measured(func(r Result) float64 { return r.ReplaceAll.Seconds })},
	{"all kubelets ask for certificates: cloud calls", "", false, false, ifAsked(func(c Certificates) string { return strconv.Itoa(c.Calls.Total) })},
	{"all kubelets ask for certificates: approved after", "s", true, false, ifAsked(func(c Certificates) string { return fmt.Sprintf("%.1f", c.Seconds) })},
	{"all kubelets ask for certificates: more memory", "MB", true, false, ifAsked(func(c Certificates) string { return fmt.Sprintf("%.1f", c.MemoryMB) })},
	{"many Services at once: with an address", "", false, true, ifBurst(func(c Burst) string { return fmt.Sprintf("%d of %d in %.0f s", c.Addressed, c.Services, c.Seconds) })},
	{"many Services at once: cloud calls (writes)", "", false, true, ifBurst(func(c Burst) string { return fmt.Sprintf("%d (%d)", c.Calls.Total, c.Calls.Writes) })},
	{"many Services at once: first address after", "s", true, true, ifBurst(func(c Burst) string { return fmt.Sprintf("%.1f", c.First) })},
	{"many Services at once: a Node that joins, initialised after", "s", true, true, ifBurst(func(c Burst) string { return fmt.Sprintf("%.1f", c.Node) })},
	{"answers 429", "", false, false, count(Result.throttled)},
}

func count(value func(Result) int) func(Result) string {
	return func(r Result) string { return strconv.Itoa(value(r)) }
}

func decimal(value func(Result) float64) func(Result) string {
	return func(r Result) string { return strconv.FormatFloat(value(r), 'f', 1, 64) }
}

// measured is a decimal, "-" where there is none.
func measured(value func(Result) float64) func(Result) string {
	return func(r Result) string {
		if value(r) == 0 {
			return "-"
		}
		return decimal(value)(r)
	}
}

func calls(value func(Result) Calls) func(Result) string {
	return func(r Result) string {
		c := value(r)
		return fmt.Sprintf("%d (%d)", c.Total, c.Writes)
	}
}

// ifAdded is a figure of the nodes that were added, "-" where the load balancers had all the targets they can have.
func ifAdded(value func(Result) string) func(Result) string {
	return func(r Result) string {
		if r.AddNodes.Seconds == 0 {
			return "-"
		}
		return value(r)
	}
}

// ifTouched is a figure of ensures that change nothing, "-" in a run from before they were measured.
func ifTouched(value func(Result) string) func(Result) string {
	return func(r Result) string {
		if r.Unchanged.Seconds == 0 {
			return "-"
		}
		return value(r)
	}
}

// ifReplaced is a figure of machines that were replaced, "-" in a run from before they were measured.
func ifReplaced(value func(Result) string) func(Result) string {
	return func(r Result) string {
		if r.ReplaceAll.Seconds == 0 {
			return "-"
		}
		return value(r)
	}
}

// ifAsked is a figure of the certificates of kubelets, "-" where they were not measured.
func ifAsked(value func(Certificates) string) func(Result) string {
	return func(r Result) string {
		if r.Certificates.Requests == 0 {
			return "-"
		}
		return value(r.Certificates)
	}
}

// ifBurst is a figure of many Services at once, "-" where they were not measured.
func ifBurst(value func(Burst) string) func(Result) string {
	return func(r Result) string {
		if r.Burst.Services == 0 {
			return "-"
		}
		return value(r.Burst)
	}
}

// of is the figure of a result, "-" where there are no Services to be measured.
func (r row) of(result Result) string {
	if r.services && result.Services == 0 {
		return "-"
	}
	return r.value(result)
}

// Table writes one column per result.
func Table(w io.Writer, results []Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	heads := []row{
		{name: "cloud", value: func(r Result) string { return r.Cloud }},
		{name: "nodes", value: count(func(r Result) int { return r.Nodes })},
		{name: "Services", value: count(func(r Result) int { return r.Services })},
	}
	for _, row := range append(heads, rows...) {
		fmt.Fprintf(t, "%s\t%s", row.name, row.unit)
		for _, result := range results {
			fmt.Fprintf(t, "\t%s", row.of(result))
		}
		fmt.Fprintln(t)
	}
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
		{"initialise", r.Initialise.Calls}, {"restart", r.Restart}, {"10 % NotReady", r.NotReady.Calls},
		{"Services made", r.Create.Calls}, {"Services ensured again", r.SecondEnsure}, {"Services touched", r.Unchanged.Calls}, {"window with a status pass", r.Steady.Window},
		{"10 nodes added", r.AddNodes.Calls}, {"Services deleted", r.Delete.Calls}, {"all machines replaced", r.ReplaceAll.Calls}, {"many Services at once", r.Burst.Calls}, {"certificates of kubelets", r.Certificates.Calls},
	} {
		var parts []string
		for _, route := range slices.Sorted(maps.Keys(step.calls.Routes)) {
			parts = append(parts, fmt.Sprintf("%s %d", route, step.calls.Routes[route]))
		}
		fmt.Fprintf(w, "  %s: %s\n", step.name, strings.Join(parts, ", "))
	}
}
