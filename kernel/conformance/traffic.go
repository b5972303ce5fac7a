package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Witness is a Control of a cloud that keeps a log of the requests that it received.
type Witness interface {
	// Writes are the requests that the cloud received and did not refuse, without reads, the oldest first.
	Writes() []Write
}

// Write is a request that changes the test cloud, as the cloud itself received it.
type Write struct {
	// Route is a key of Harness.Traffic, such as "PUT /v1/balancers/{id}".
	Route string
	// Key is that of the operation, "" where the request has none or is for the whole object. A request that carries out
	// several operations, such as one for several targets, is one Write for each.
	Key string
	// Request is the whole request: no other of the same change has the same Request and Key.
	Request string
}

// traffic compares what a test cloud received with what was planned. Without a Witness it compares nothing.
type traffic struct {
	Witness
	carriedOut map[string][]cloud.Operation // see Harness.Traffic
	// alone says that each operation is a request of its own.
	alone bool
}

// traffic returns the comparison for this driver and cloud.
func (f *fixture) traffic() traffic {
	f.Helper()
	if len(f.suite.Traffic) == 0 {
		return traffic{}
	}
	w, ok := f.control.(Witness)
	if !ok {
		f.Fatal("Harness.Traffic is set, but the control is no Witness")
	}
	return traffic{w, f.suite.Traffic, f.group().Composite != nil}
}

// restart forgets the steps and the writes of the change before.
func (f *fixture) restart() { *f.steps, *f.since = nil, f.traffic().received() }

// received returns how many writes the cloud has received.
func (t traffic) received() int {
	if t.Witness == nil {
		return 0
	}
	return len(t.Writes())
}

// changed compares what the cloud received for one change of a whole object with the operations of the change. All steps
// of a composite are compared at the end: see asPlanned.
func (t traffic) changed(since int, change cloud.Change) error {
	planned := change.Operations
	switch {
	case t.alone:
		return nil
	case change.After != nil:
	case change.Before.Found || change.Before.Orphans:
		planned = []cloud.Operation{{Verb: cloud.Delete, Kind: cloud.KindBalancer}}
	}
	return t.planned(since, planned)
}

// planned returns an error where the writes that the cloud received since a moment are not the plan.
func (t traffic) planned(since int, planned []cloud.Operation) error {
	if t.Witness == nil {
		return nil
	}
	writes := t.Writes()[since:]
	wrong := t.together
	if t.alone {
		wrong = t.oneByOne
	}
	what := wrong(writes, planned)
	if what == "" {
		return nil
	}
	var list strings.Builder
	for _, w := range writes {
		fmt.Fprintln(&list, "  "+w.Request)
	}
	return fmt.Errorf("what the cloud received is not the plan: %s; planned:\n%sreceived:\n%s", what, text(planned), list.String())
}

// oneByOne says what is wrong where each operation is a request of its own.
func (t traffic) oneByOne(writes []Write, planned []cloud.Operation) string {
	for i, w := range writes {
		if i == len(planned) {
			return w.Request + " was not planned"
		}
		if !t.carries(w, planned[i]) {
			return fmt.Sprintf("%s came in the place of %s", w.Request, text(planned[i:i+1]))
		}
	}
	if len(writes) < len(planned) {
		return "no request for " + text(planned[len(writes):])
	}
	return ""
}

// together says what is wrong where one request may carry out several operations. An operation is carried out by the
// requests that are for its kind, or else by one for the whole object.
func (t traffic) together(writes []Write, planned []cloud.Operation) string {
	done, sent := make([]bool, len(planned)), map[Write]bool{}
	does := make([]int, len(writes)) // the first operation that each carries out
	for i, w := range writes {
		if sent[w] {
			return w.Request + " came twice"
		}
		sent[w], does[i] = true, -1
		for j, op := range planned {
			if t.isWhole(w) || !t.carries(w, op) {
				continue
			}
			if does[i] >= 0 {
				return w.Request + " may be for several operations: Write.Key has to say for which"
			}
			done[j], does[i] = true, j
		}
	}
	for i, w := range writes {
		for j := range planned {
			if t.isWhole(w) && !done[j] {
				done[j] = true
				if does[i] < 0 {
					does[i] = j
				}
			}
		}
		if does[i] < 0 {
			return w.Request + " was not planned"
		}
	}
	if i := slices.Index(done, false); i >= 0 {
		return "no request for " + text(planned[i:i+1])
	}
	if !slices.IsSorted(does) {
		return "another order"
	}
	return ""
}

// isWhole reports whether a request writes a whole object.
func (t traffic) isWhole(w Write) bool {
	return slices.Contains(t.carriedOut[w.Route], cloud.Operation{})
}

// carries reports whether a request is one that carries an operation out.
func (t traffic) carries(w Write, op cloud.Operation) bool {
	return slices.ContainsFunc(t.carriedOut[w.Route], func(row cloud.Operation) bool {
		return row.Verb == op.Verb && row.Kind == op.Kind && (row.Field == "" || row.Field == op.Field) && (w.Key == "" || w.Key == op.Key)
	})
}
