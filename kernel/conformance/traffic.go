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
	// Key is that of the operation, "" where the log does not show it.
	Key string
	// Request is the whole request: no other of the same change has the same.
	Request string
}

// received returns how many writes the cloud has received, 0 where its requests are not compared.
func (f *fixture) received() int {
	if len(f.suite.Traffic) == 0 {
		return 0
	}
	return len(f.witness().Writes())
}

func (f *fixture) witness() Witness {
	f.Helper()
	w, ok := f.control.(Witness)
	if !ok {
		f.Fatal("Harness.Traffic is set, but the control is no Witness")
	}
	return w
}

// restart forgets the steps and the writes of the change before.
func (f *fixture) restart() { *f.steps, *f.since = nil, f.received() }

// asReceived returns an error where the writes that the cloud received since a moment are not the plan.
func (f *fixture) asReceived(since int, planned []cloud.Operation) error {
	if len(f.suite.Traffic) == 0 {
		return nil
	}
	writes := slices.DeleteFunc(f.witness().Writes()[since:], func(w Write) bool { return f.suite.Unplanned[w.Route] != "" })
	wrong := f.oneByOne
	if !is[cloud.Composite](f.driver) {
		wrong = f.together
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
func (f *fixture) oneByOne(writes []Write, planned []cloud.Operation) string {
	for i, w := range writes {
		if i == len(planned) {
			return w.Request + " was not planned"
		}
		if !f.carries(w, planned[i]) {
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
func (f *fixture) together(writes []Write, planned []cloud.Operation) string {
	done, sent := make([]bool, len(planned)), map[string]bool{}
	does := make([]int, len(writes)) // the first operation that each carries out
	for i, w := range writes {
		if sent[w.Request] {
			return w.Request + " came twice"
		}
		sent[w.Request], does[i] = true, -1
		for j, op := range planned {
			if !f.isWhole(w) && f.carries(w, op) {
				done[j] = true
				does[i] = first(does[i], j)
			}
		}
	}
	for i, w := range writes {
		for j := range planned {
			if f.isWhole(w) && !done[j] {
				done[j] = true
				does[i] = first(does[i], j)
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

func first(known, next int) int {
	if known < 0 {
		return next
	}
	return min(known, next)
}

// isWhole reports whether a request writes a whole object.
func (f *fixture) isWhole(w Write) bool {
	return slices.Contains(f.suite.Traffic[w.Route], cloud.Operation{})
}

// carries reports whether a request is one that carries an operation out.
func (f *fixture) carries(w Write, op cloud.Operation) bool {
	return slices.ContainsFunc(f.suite.Traffic[w.Route], func(row cloud.Operation) bool {
		return row.Verb == op.Verb && row.Kind == op.Kind && (row.Field == "" || row.Field == op.Field) && (w.Key == "" || w.Key == op.Key)
	})
}

// asChanged compares what the cloud received for one change of a whole object with the operations of the change.
func (f *fixture) asChanged(since int, change cloud.Change) error {
	planned := change.Operations
	switch {
	case is[cloud.Composite](f.driver): // all steps are compared at the end: see asPlanned
		return nil
	case change.After != nil:
	case change.Before.Found || change.Before.Orphans:
		planned = []cloud.Operation{{Verb: cloud.Delete, Kind: cloud.KindBalancer}}
	}
	return f.asReceived(since, planned)
}
