package loadbalancer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// settlingCloud is a cloud in which each change of a balancer takes three steps, of a second each. It works at a balancer as a whole.
type settlingCloud struct {
	*fakeDriver
	left  map[string]int
	until map[string]time.Time
	// steps counts them, and repeated those whose balancer was not looked at before.
	steps, repeated int
	// refuses is what the cloud answers to the next step, with this progress; looked is how often it was looked at by then.
	refuses  error
	progress cloud.Progress
	looked   int
	// other says that its operations are not the balancer itself.
	other bool
	// tells says that the answer to a creation has what its second step needs.
	tells bool
}

const stepsOfAChange = 3

var nativeText cloud.NativeOf[string]

func (d *settlingCloud) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	id := change.Before.ID
	if !change.Before.Found && change.Rest == nil {
		return d.create(ctx, change)
	}
	if err := d.refuses; err != nil {
		d.refuses, d.looked = nil, d.observes
		if len(d.progress.Operations) > 0 {
			d.works(id)
		}
		return d.progress, err
	}
	if !change.Before.Found {
		d.repeated++
		return cloud.Progress{}, nil
	}
	if d.left[id] == 0 {
		d.left[id] = stepsOfAChange
	}
	d.steps++
	if change.Rest != nil {
		d.repeated++
	}
	d.left[id]--
	d.works(id)
	if left := d.left[id]; left > 0 {
		return cloud.Progress{Pending: true, More: true, Operations: []string{id}, Rest: left, Settles: !d.other, Step: strings.Repeat("i", left)}, nil
	}
	_, err := d.fakeDriver.Apply(ctx, change)
	return cloud.Progress{Pending: true, After: time.Second}, err
}

// create makes a balancer, which is busy for a second.
func (d *settlingCloud) create(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	p, err := d.fakeDriver.Apply(ctx, change)
	if d.tells && err == nil {
		d.works(p.Observed.ID)
		p.Observed.Native, p.Observed.State = nativeText.Seal("answer"), cloud.BalancerPending
		p.Pending, p.More, p.Operations, p.Rest, p.Settles = true, true, []string{p.Observed.ID}, 1, true
	}
	return p, err
}

// works has the cloud work at a balancer for a second. The end is asked for beside other calls.
func (d *settlingCloud) works(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until[id] = time.Now().Add(time.Second)
}

func (d *settlingCloud) OperationStates(_ context.Context, ids []string) (map[string]cloud.OperationState, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	states := map[string]cloud.OperationState{}
	for _, id := range ids {
		if d.balancers[id] != nil {
			states[id] = cloud.OperationState{Running: time.Now().Before(d.until[id])}
		}
	}
	return states, nil
}

// settling returns a Service with a balancer in such a cloud.
func settling(t *testing.T) (*settlingCloud, *fixture) {
	t.Helper()
	var d *settlingCloud
	f := withDriver(t, func(driver *fakeDriver) cloud.Account {
		d = &settlingCloud{fakeDriver: driver, left: map[string]int{}, until: map[string]time.Time{}}
		return d
	})
	f.settle()
	d.observes, d.writes = 0, nil
	return d, f
}

// A change whose steps follow each other has one look before it and one after it, unless something says that what was seen may
// not be true any more.
func TestStepsOfABalancerThatSettles(t *testing.T) {
	for name, test := range map[string]struct {
		// change happens after the first step.
		change func(*settlingCloud, *fixture)
		looks  int
	}{
		"nothing else":               {func(*settlingCloud, *fixture) {}, 2},
		"a long time":                {func(*settlingCloud, *fixture) { time.Sleep(restAge) }, 3},
		"a conflict":                 {func(d *settlingCloud, _ *fixture) { d.refuses = errConflict }, 3},
		"a node went":                {func(_ *settlingCloud, f *fixture) { f.nodes = f.nodes[:2] }, 3},
		"another request":            {func(_ *settlingCloud, f *fixture) { f.svc.Annotations[keyAlgorithm.Name] = "fair" }, 3},
		"operations of another kind": {func(d *settlingCloud, _ *fixture) { d.other = true }, 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, f := settling(t)
				f.svc.Annotations[keyProxy.Name] = "true"
				d.other = name == "operations of another kind"
				first := true
				mustTogether(t, []*fixture{f}, func(f *fixture) error {
					err := f.ensure()
					if first {
						first = false
						test.change(d, f)
					}
					return err
				})
				if d.observes != test.looks || d.steps != stepsOfAChange || f.only().ProviderFields["proxy"] != "true" || len(f.only().Targets) != len(f.nodes) {
					t.Errorf("%d looks, %d steps, balancer %+v; want %d looks", d.observes, d.steps, f.only(), test.looks)
				}
			})
		})
	}
}

// A balancer whose creation tells what the next step needs has one look before that and one after it, which is given the answer.
func TestStepsOfANewBalancer(t *testing.T) {
	for name, test := range map[string]struct {
		// change happens after the first step.
		change   func(*settlingCloud, *fixture)
		repeated int
		forgets  bool
	}{
		"nothing else":    {func(*settlingCloud, *fixture) {}, 1, false},
		"minutes":         {func(*settlingCloud, *fixture) { time.Sleep(2 * restAge) }, 1, false},
		"a long time":     {func(*settlingCloud, *fixture) { time.Sleep(madeAge) }, 0, false},
		"a conflict":      {func(d *settlingCloud, _ *fixture) { d.refuses = errConflict }, 0, false},
		"a refusal":       {func(d *settlingCloud, _ *fixture) { d.refuses = &cloud.Invalid{} }, 0, false},
		"a restart":       {func(_ *settlingCloud, f *fixture) { f.restart() }, 0, true},
		"a node went":     {func(_ *settlingCloud, f *fixture) { f.nodes = f.nodes[:2] }, stepsOfAChange - 1, false},
		"another request": {func(_ *settlingCloud, f *fixture) { f.svc.Annotations[keyProxy.Name] = "true" }, stepsOfAChange - 1, false},
		"somebody deletes it, and it is made again": {func(d *settlingCloud, _ *fixture) {
			d.mu.Lock()
			defer d.mu.Unlock()
			clear(d.balancers)
		}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, f := settling(t)
				clear(d.balancers)
				f.svc = service()
				f.restart()
				d.tells, d.lasts = true, nil
				first := true
				mustTogether(t, []*fixture{f}, func(f *fixture) error {
					err := f.ensure()
					if first {
						first = false
						test.change(d, f)
					}
					return err
				})
				told := len(d.lasts) > 1 && d.lasts[1] != nil && nativeText.Open(d.lasts[1].Native) == "answer"
				if d.repeated != test.repeated || told == test.forgets || len(f.only().Targets) != len(f.nodes) {
					t.Errorf("%d steps without a look, want %d; the looks were given %+v", d.repeated, test.repeated, d.lasts)
				}
			})
		})
	}
}

// The id on the Service is changed by hand in the midst of a change: the balancer that was seen is not touched any more.
func TestStepsOfAnotherBalancer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := settling(t)
		f.svc.Annotations[keyProxy.Name] = "true"
		_ = f.ensure()
		f.svc.Annotations[keyID.Name] = "lb-77"
		_ = together(t, []*fixture{f}, (*fixture).ensure)
		if d.repeated > 0 {
			t.Error("the change went on without a look")
		}
	})
}

// A cloud that does not keep a change is left alone, also where its steps go on without a look.
func TestNotConvergingInSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := settling(t)
		d.keep = func(b *cloud.Balancer) { b.ProviderFields["algorithm"] = "fair" }
		f.svc.Annotations[keyAlgorithm.Name] = "random"
		for range 6 {
			mustTogether(t, []*fixture{f}, (*fixture).ensure)
		}
		if d.steps != 3*stepsOfAChange || d.repeated != 3*(stepsOfAChange-1) {
			t.Errorf("%d steps, %d of them without a look", d.steps, d.repeated)
		}
		if said := strings.Join(f.events.take(), "\n"); !strings.Contains(said, "NotConverging") {
			t.Errorf("said %q", said)
		}
	})
}

// A deletion of several steps has one look before it and those after it. A Service that is kept or comes back has another one.
func TestDeletionOfABalancerThatSettles(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(*settlingCloud, *fixture)
		repeated int
	}{
		"nothing else": {func(*settlingCloud, *fixture) {}, 2},
		"a long time":  {func(*settlingCloud, *fixture) { time.Sleep(restAge) }, 1},
		"a conflict":   {func(d *settlingCloud, _ *fixture) { d.refuses = errConflict }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, f := settling(t)
				first := true
				mustTogether(t, []*fixture{f}, func(f *fixture) error {
					err := f.Delete(t.Context(), leaving(f))
					if first {
						first = false
						test.change(d, f)
					}
					return err
				})
				if len(d.balancers) != 0 || d.steps != stepsOfAChange || d.repeated != test.repeated {
					t.Errorf("%d balancers left, %d steps, %d of them without a look", len(d.balancers), d.steps, d.repeated)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		d, f := settling(t)
		if pending, ok := errors.AsType[*Pending](f.Delete(t.Context(), leaving(f))); !ok {
			t.Fatalf("%v, want a deletion that goes on", pending)
		}
		f.svc.DeletionTimestamp = nil
		d.left = map[string]int{}
		mustTogether(t, []*fixture{f}, (*fixture).ensure)
		if len(d.balancers) != 1 || d.repeated > 0 {
			t.Errorf("%d balancers, %d steps without a look", len(d.balancers), d.repeated)
		}
	})
}

// A value of retain that nobody can read keeps the balancer, also while its deletion goes on.
func TestUnreadableRetainStopsADeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := settling(t)
		if pending, ok := errors.AsType[*Pending](f.Delete(t.Context(), leaving(f))); !ok {
			t.Fatalf("%v, want a deletion that goes on", pending)
		}
		f.svc.Annotations[annotation.Retain.Name] = "ja"
		mustTogether(t, []*fixture{f}, func(f *fixture) error { return f.Delete(t.Context(), leaving(f)) })
		if len(d.balancers) != 1 {
			t.Errorf("%d balancers are left, want the one that is kept", len(d.balancers))
		}
	})
}
