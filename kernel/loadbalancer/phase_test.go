package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// What is remembered of a load balancer between two runs is in one of these phases, or it is settled. Each has a file of tests with
// a table of the ways into it and out of it:
//
//	phase        it says                                                      file
//	pending      the cloud was busy with the balancer at the last look        phase_pending_test.go
//	running      operations of the last change go on                          phase_running_test.go
//	interrupted  operations ended well, and targets are left                  phase_interrupted_test.go
//	removed      the deletion was acknowledged, nobody has looked since       phase_removed_test.go
//	failed       an operation of the last change failed after the answer      phase_failed_test.go
//
// The tests see only what a caller and a cloud see: calls, answers, errors, and events.

// pacedCloud is a cloud in which each change is an operation that goes on until the test ends it.
type pacedCloud struct {
	*fakeDriver
	// prompt says that a change ends with its answer.
	prompt bool
	// running are the changes that go on, by the id of their operation.
	running map[string]cloud.Change
	// ended are the operations that have ended, and with which error.
	ended map[string]error
	begun int
	// priorities are those of the looks.
	priorities []cloud.Priority
}

func (d *pacedCloud) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	d.priorities = append(d.priorities, cloud.PriorityOf(ctx))
	return d.fakeDriver.Observe(ctx, in)
}

func (d *pacedCloud) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	var progress cloud.Progress
	var err error
	switch creates := change.After != nil && !change.Before.Found; {
	case d.prompt:
		return d.fakeDriver.Apply(ctx, change)
	case creates:
		d.busy = 1 << 20 // until it is ended
		progress, err = d.fakeDriver.Apply(ctx, change)
		d.busy = 0
		change.Before.ID = progress.Observed.ID
	default:
		d.mu.Lock()
		d.writes = append(d.writes, inWords(change))
		d.mu.Unlock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun++
	id := fmt.Sprint("operation-", d.begun)
	d.running[id] = change
	progress.Pending, progress.After, progress.Operations, progress.Removed = true, 0, []string{id}, change.After == nil
	return progress, err
}

// end ends what goes on, and has everybody see it. What fails has no effect.
func (d *pacedCloud) end(err error) {
	d.mu.Lock()
	for id, change := range d.running {
		d.ended[id] = err
		d.take(change, err)
	}
	clear(d.running)
	d.mu.Unlock()
	time.Sleep(time.Minute) // the states of operations are asked for more often
}

// take lets a change have its effect, or none.
func (d *pacedCloud) take(change cloud.Change, err error) {
	id := change.Before.ID
	switch creates := change.After != nil && !change.Before.Found; {
	case creates && err == nil:
		d.balancers[id].busy = 0
	case err == nil && change.After == nil && d.undead > 0:
		d.undead--
	case creates, err == nil && change.After == nil:
		delete(d.balancers, id)
	case err == nil:
		d.put(id, d.balancers[id], change)
	}
}

// forget has the cloud know nothing any more of what goes on. Whether that had its effect is another thing.
func (d *pacedCloud) forget(effect bool) {
	d.mu.Lock()
	for _, change := range d.running {
		if effect {
			d.take(change, nil)
		}
	}
	clear(d.running)
	d.mu.Unlock()
	time.Sleep(time.Minute)
}

func (d *pacedCloud) OperationStates(_ context.Context, ids []string) (map[string]cloud.OperationState, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	states := map[string]cloud.OperationState{}
	for _, id := range ids {
		if _, running := d.running[id]; running {
			states[id] = cloud.OperationState{Running: true}
		} else if err, ended := d.ended[id]; ended {
			states[id] = cloud.OperationState{Err: err}
		}
	}
	return states, nil
}

var _ cloud.Operations = (*pacedCloud)(nil)

// paced returns a Service in such a cloud, without a balancer so far.
func paced(t *testing.T) (*pacedCloud, *fixture) {
	t.Helper()
	var d *pacedCloud
	f := withDriver(t, func(driver *fakeDriver) cloud.Account {
		d = &pacedCloud{fakeDriver: driver, running: map[string]cloud.Change{}, ended: map[string]error{}}
		return d
	})
	t.Cleanup(func() { d.end(nil) }) // nobody asks for states any more
	return d, f
}

// pacedBalancer returns a Service with a balancer that was made long ago in such a cloud.
func pacedBalancer(t *testing.T) (*pacedCloud, *fixture) {
	t.Helper()
	d, f := paced(t)
	d.prompt = true
	f.settle()
	time.Sleep(time.Hour)
	d.prompt, d.observes, d.writes = false, 0, nil
	return d, f
}

// beginnings begin a change of each kind, which goes on.
var beginnings = map[string]func(*testing.T) (*pacedCloud, *fixture){
	"creation": func(t *testing.T) (*pacedCloud, *fixture) {
		d, f := paced(t)
		return begun(t, d, f, f.ensure())
	},
	"change": func(t *testing.T) (*pacedCloud, *fixture) {
		d, f := pacedBalancer(t)
		f.svc.Annotations[keyProxy.Name] = "true"
		return begun(t, d, f, f.ensure())
	},
	"target update": func(t *testing.T) (*pacedCloud, *fixture) {
		d, f := pacedBalancer(t)
		f.nodes = f.nodes[:2]
		return begun(t, d, f, f.updateTargets())
	},
	"deletion": func(t *testing.T) (*pacedCloud, *fixture) {
		d, f := pacedBalancer(t)
		return begun(t, d, f, f.delete())
	},
}

func begun(t *testing.T, d *pacedCloud, f *fixture, err error) (*pacedCloud, *fixture) {
	t.Helper()
	waits(t, err, problem.PollFirst)
	if len(d.running) != 1 || len(d.writes) != 1 {
		t.Fatalf("%d operations, writes %q", len(d.running), d.writes)
	}
	d.observes, d.writes = 0, nil
	return d, f
}

// The runs that the framework asks for.
func (f *fixture) updateTargets() error {
	f.t.Helper()
	return f.UpdateTargets(f.t.Context(), f.svc, f.nodes)
}

func (f *fixture) delete() error {
	f.t.Helper()
	return f.Delete(f.t.Context(), f.svc)
}

// runs are all of them, by name.
var runs = map[string]func(*fixture) error{"ensure": (*fixture).ensure, "target update": (*fixture).updateTargets, "deletion": (*fixture).delete}

// must fails the test unless a run ended well.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// forecasts fails the test unless a plan has exactly these operations.
func (f *fixture) forecasts(want ...string) {
	f.t.Helper()
	p, err := f.plan(f.nodes...)
	if err != nil {
		f.t.Fatal(err)
	}
	if got := planned(p); fmt.Sprint(got) != fmt.Sprint(want) {
		f.t.Errorf("plan %q, want %q", got, want)
	}
}

func planned(p plan.Plan) []string {
	var all []string
	for _, op := range p.Operations {
		all = append(all, inWords(cloud.Change{Operations: []cloud.Operation{op}}))
	}
	return all
}

// looked fails the test unless there were so many looks at the balancer since the last call.
func (f *fixture) looked(want int) {
	f.t.Helper()
	if f.driver.observes != want {
		f.t.Errorf("%d looks, want %d", f.driver.observes, want)
	}
	f.driver.observes = 0
}

// failsWith fails the test unless the error is that one, and nobody waits.
func failsWith(t *testing.T, err, want error) {
	t.Helper()
	if _, waits := errors.AsType[*Pending](err); waits || !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// each runs a test for each kind of change that goes on, and each run that comes next.
func each(t *testing.T, test func(t *testing.T, begun, next string)) {
	t.Helper()
	for begun := range beginnings {
		for next := range runs {
			t.Run(begun+", then "+next, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { test(t, begun, next) })
			})
		}
	}
}

// outcome is what a run comes to: a part of its error, or "", and what it writes.
type outcome struct {
	err    string
	writes []string
}

// comesTo fails the test unless a run comes to that.
func (f *fixture) comesTo(want outcome, err error) {
	f.t.Helper()
	if want.err == "" {
		must(f.t, err)
	} else {
		fails(f.t, err, want.err)
	}
	f.wrote(want.writes...)
}
