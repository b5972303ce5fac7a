package bench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

func TestDifference(t *testing.T) {
	before := traffic.Counters{Total: 5, Mutating: 1, Routes: map[string]traffic.Route{
		"GET a":  {Requests: 4, Status: map[string]int{"429": 1}},
		"POST b": {Requests: 1},
	}}
	after := traffic.Counters{Total: 9, Mutating: 2, Routes: map[string]traffic.Route{
		"GET a":  {Requests: 6, Status: map[string]int{"429": 3}},
		"POST b": {Requests: 1},
		"PUT c":  {Requests: 1},
	}}
	want := Calls{Total: 4, Writes: 1, Throttled: 2, Routes: map[string]int{"GET a": 2, "PUT c": 1}}
	if diff := cmp.Diff(want, difference(before, after)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of a window with one pass those requests count for the pass that a list takes; a cloud without an API has none.
func TestListed(t *testing.T) {
	calls := Calls{Total: 9, Routes: map[string]int{"GET a": 5}}
	paged := testcloud.Facts{List: "GET a", Page: 200, Beside: 1}
	if got := listed(calls, paged, 1000); got.Total != 6 || got.Routes["GET a"] != 5 {
		t.Errorf("of a list of 5 pages and a request beside it: %+v", got)
	}
	if got := listed(Calls{}, testcloud.Facts{Lacks: map[testcloud.Ability]string{testcloud.API: "none"}}, 1000); got.Total != 0 {
		t.Errorf("without an API: %+v", got)
	}
}

func TestLatency(t *testing.T) {
	var all []time.Duration
	for i := range 200 {
		all = append(all, time.Duration(200-i)*time.Millisecond)
	}
	if got := latencyOf(all).String(); got != "101, p99 199" {
		t.Errorf("latency %q", got)
	}
}

func TestTally(t *testing.T) {
	var events [4]controlplane.AuditEvent
	for i := range events {
		events[i].Verb, events[i].Object.Resource = "patch", "nodes"
	}
	events[1].Object.Subresource = "status"
	events[2].Response.Code, events[3].Response.Code = 409, 429
	want := Writes{Total: 4, Conflicts: 1, Refused: 1, Kinds: map[string]int{"patch nodes": 3, "patch nodes/status": 1}}
	if diff := cmp.Diff(want, tally(events[:])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestViolations(t *testing.T) {
	kept := Result{Nodes: 1000, Listing: 5, Initialising: 15, ListsPerHour: 12}
	kept.Initialise.Calls.Total = 15
	kept.Steady.StatusPass.Total, kept.Steady.CallsPerHour = 5, 60
	kept.NotReady = Window{Calls: Calls{Total: 20}, Seconds: 120}
	kept.Services, kept.Delete.Calls, kept.Delete.Seconds = 50, Calls{Total: 187, Writes: 100}, 30
	tests := []struct {
		name   string
		change func(*Result)
		want   string
	}{
		{"at every limit", func(*Result) {}, ""},
		{"initialisation", func(r *Result) { r.Initialise.Calls.Total++ }, "to initialise: 16, at most 15"},
		{"writes of the initialisation", func(r *Result) { r.Initialise.Writes.Total = 2002 }, "writes to initialise: 2002, at most 2001"},
		{"refused writes", func(r *Result) { r.Initialise.Writes.Refused = 1 }, "API server refused: 1"},
		{"status pass", func(r *Result) { r.Steady.StatusPass.Total++ }, "status pass: 6, at most 5"},
		{"idle hour", func(r *Result) { r.Steady.CallsPerHour++ }, "idle hour: 61, at most 60"},
		{"second ensure", func(r *Result) { r.SecondEnsure.Writes = 1 }, "second ensure of unchanged Services: 1, at most 0"},
		{"ensures that change something", func(r *Result) { r.Unchanged.Calls.Writes = 1 }, "ensure that changes nothing: 1, at most 0"},
		{"costly creations", func(r *Result) { r.Create.CPUSeconds = 8.0015 }, "processor to make Services: 8001, at most 8000"},
		{"costly ensures", func(r *Result) { r.Unchanged.CPUSeconds = 1.05 }, "ensure that changes nothing: 21, at most 20"},
		{"NotReady", func(r *Result) { r.NotReady.Calls.Total++ }, "NotReady: 11, at most 10"},
		{"deletion", func(r *Result) { r.Delete.Calls.Total++ }, "reads to delete Services: 88, at most 87"},
		{"stalled deletion", func(r *Result) { r.Delete.Seconds = 31 }, "seconds to delete Services: 31, at most 30"},
		{"slow initialisation", func(r *Result) { r.Initialise.Seconds = 81 }, "seconds to initialise: 81, at most 80"},
		{"costly initialisation", func(r *Result) { r.Initialise.CPUSeconds = 9.0015 }, "processor to initialise: 9001, at most 9000"},
		{"slow creations", func(r *Result) { r.Create.Seconds = 171 }, "have an address: 171, at most 170"},
		{"memory", func(r *Result) { r.PeakMemoryMB = map[string]float64{defaultProcess: 141} }, "MB of memory: 141, at most 140"},
		{"slow takeover", func(r *Result) { r.Takeover.StoppedSeconds = 7 }, "SIGTERM to the next leader's first Node: 7, at most 6"},
		{"slow takeover after a kill", func(r *Result) { r.Takeover.KilledSeconds = 18 }, "first Node: 18, at most 17"},
		{"slow replacement", func(r *Result) { r.ReplaceAll.Seconds = 15.1 }, "in the place of all: 16, at most 15"},
		{"lost nodes", func(r *Result) { r.NodesLost = 1 }, "nodes lost: 1"},
		{"throttled without a quota", func(r *Result) { r.Steady.Window.Throttled = 1 }, ""},
		{"throttled", func(r *Result) { r.Steady.Window.Throttled, r.Quota = 1, true }, "throttled calls in steady state: 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := kept
			tt.change(&r)
			got := strings.Join(r.Violations(), "; ")
			if !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTableHasAColumnForEachResult(t *testing.T) {
	var out strings.Builder
	r := Result{Cloud: "sim", Nodes: 100, Services: 3}
	r.Create.AfterActivation = []float64{0.5, 1.5, 2.5}
	if err := Table(&out, []Result{r, {Cloud: "gce", Nodes: 5000}}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range [][]string{{"cloud", "sim", "gce"}, {"nodes", "100", "5000"}} {
		if fields := strings.Fields(lines[i]); !slices.Equal(fields, want) {
			t.Errorf("line %q, want %q", lines[i], want)
		}
	}
	if !strings.Contains(out.String(), "1.5, last 2.5") {
		t.Errorf("no spread in:\n%s", out.String())
	}
	if made := lines[len(lines)-2]; !strings.HasSuffix(made, "-") {
		t.Errorf("a cloud without Services has figures of them: %q", made)
	}
}
