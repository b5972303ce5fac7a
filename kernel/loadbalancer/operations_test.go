package loadbalancer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// slowCloud is a cloud in which each target, and each deletion, is an operation of a second.
type slowCloud struct {
	*bulkLister
	operations map[string]*slowOperation
	// forgets says that it does not know operations any more.
	forgets bool
	// added are the targets in the order in which they were asked for.
	added []cloud.InstanceID
	trust int
}

type slowOperation struct {
	end    time.Time
	effect func() error
	err    error
}

// begin begins an operation, and returns what an Apply says of it.
func (d *slowCloud) begin(effect func() error) cloud.Progress {
	id := fmt.Sprint("operation-", len(d.operations))
	d.operations[id] = &slowOperation{end: time.Now().Add(time.Second), effect: effect}
	return cloud.Progress{Pending: true, Operations: []string{id}}
}

// forget has the cloud know no operation any more.
func (d *slowCloud) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forgets = true
}

// pass carries out what has ended by now.
func (d *slowCloud) pass() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.operations {
		if o.effect != nil && !time.Now().Before(o.end) {
			o.err, o.effect = o.effect(), nil
		}
	}
}

func (d *slowCloud) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	switch {
	case change.After == nil && change.Before.Found:
		id := change.Before.ID
		progress := d.begin(func() error { delete(d.balancers, id); return nil })
		progress.Removed, progress.More = true, d.remains
		return progress, nil
	case change.After == nil || !change.Before.Found:
		d.remains = false
		return d.bulkLister.Apply(ctx, change)
	}
	left, goesOn := change.Rest.([]cloud.InstanceID)
	if !goesOn {
		left = slices.DeleteFunc(slices.Clone(change.After.Targets), func(id cloud.InstanceID) bool { return slices.Contains(change.Before.Balancer.Targets, id) })
	}
	b := d.balancers[change.Before.ID]
	if b.Allow = change.After.Allow; len(left) == 0 {
		return cloud.Progress{}, nil
	}
	target := left[0]
	if err := d.failing("apply", false); err != nil {
		return cloud.Progress{}, err
	}
	d.added = append(d.added, target)
	progress := d.begin(func() error {
		if target == "broken" {
			return errBroken
		}
		b.Targets = append(b.Targets, target)
		slices.Sort(b.Targets)
		return nil
	})
	if progress.More = len(left) > 1; progress.More {
		progress.Rest = left[1:]
	}
	return progress, nil
}

func (d *slowCloud) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	d.pass()
	return d.bulkLister.Observe(ctx, in)
}

func (d *slowCloud) ListBalancers(ctx context.Context) (cloud.BulkList, error) {
	d.pass()
	list, err := d.bulkLister.ListBalancers(ctx)
	if then, ok := list.(*fakeDriver); ok {
		then.remains = d.remains
	}
	return list, err
}

func (d *slowCloud) OperationStates(_ context.Context, ids []string) (map[string]cloud.OperationState, error) {
	d.pass()
	d.mu.Lock()
	defer d.mu.Unlock()
	states := map[string]cloud.OperationState{}
	for _, id := range ids {
		if o := d.operations[id]; o != nil && !d.forgets {
			states[id] = cloud.OperationState{Running: o.effect != nil, Err: o.err}
		}
	}
	return states, nil
}

var _ cloud.Operations = (*slowCloud)(nil)

// slowly returns Services with balancers of three targets in such a cloud, nothing of which was read for a while.
func slowly(t *testing.T, services int) (*slowCloud, []*fixture) {
	t.Helper()
	s, all := listed(t, services)
	d := &slowCloud{bulkLister: s, operations: map[string]*slowOperation{}}
	all[0].wrapped = d
	all[0].restart()
	check := all[0].trust.check
	all[0].trust.check = func(ctx context.Context) error { d.trust++; return check(ctx) }
	for _, f := range all {
		f.Manager = all[0].Manager
		f.settle()
	}
	time.Sleep(bulkListAge)
	s.lists, s.observes, s.writes = 0, 0, nil
	return d, all
}

// together runs what each of the Services needs until none waits any more, all at once, and returns the first failure.
func together(t *testing.T, all []*fixture, run func(f *fixture) error) (failure error) {
	t.Helper()
	waiting := slices.Clone(all)
	for range 50 {
		var pending *Pending
		waiting = slices.DeleteFunc(waiting, func(f *fixture) bool {
			err := run(f)
			if p, ok := errors.AsType[*Pending](err); ok {
				pending = p
				return false
			}
			failure = cmp.Or(failure, err)
			return true
		})
		if len(waiting) == 0 {
			return failure
		}
		select {
		case <-pending.Ended:
		case <-time.After(pending.After):
		}
		time.Sleep(time.Millisecond) // nothing is read at the very moment that an end is told
	}
	t.Fatalf("%d Services wait for ever", len(waiting))
	return nil
}

func mustTogether(t *testing.T, all []*fixture, run func(f *fixture) error) {
	t.Helper()
	if err := together(t, all, run); err != nil {
		t.Fatal(err)
	}
}

// Targets that take an operation each are added one after the other without another look: one before and one
// after them, which all Services share.
func TestStepsOfTargetsNeedNoLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, all := slowly(t, 20)
		for _, f := range all {
			f.nodes = append(f.nodes, node("d"), node("e"), node("f"))
		}
		mustTogether(t, all, (*fixture).ensure)
		for _, f := range all {
			if got := d.balancers[f.svc.Annotations[keyID.Name]].Targets; len(got) != 6 {
				t.Errorf("targets %q", got)
			}
		}
		const before, alone = 1, manyServices - 1 // of a process that has listed before
		if d.lists > before+1 || d.observes > 2*alone || len(d.added) != 3*len(all) {
			t.Errorf("%d lists, %d observations, %d targets; want one list before and one after", d.lists, d.observes, len(d.added))
		}
	})
}

// Other nodes, another request, an end that is not known and the passing of time have the balancer looked at before the next step.
func TestStepsThatNeedALook(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*slowCloud, *fixture)
		added  []cloud.InstanceID
		looks  int
	}{
		"nothing else":    {change: func(*slowCloud, *fixture) {}, added: []cloud.InstanceID{"d", "e", "f"}, looks: 1},
		"a node went":     {change: func(_ *slowCloud, f *fixture) { f.nodes = f.nodes[:5] }, added: []cloud.InstanceID{"d", "e"}, looks: 2},
		"another request": {change: func(_ *slowCloud, f *fixture) { f.svc.Spec.LoadBalancerSourceRanges = []string{"10.0.0.0/8"} }, added: []cloud.InstanceID{"d", "e", "f"}, looks: 3},
		"an unknown end":  {change: func(d *slowCloud, _ *fixture) { d.forget() }, added: []cloud.InstanceID{"d", "e", "f"}, looks: 3},
		"a long time":     {change: func(*slowCloud, *fixture) { time.Sleep(restAge) }, added: []cloud.InstanceID{"d", "e", "f"}, looks: 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, all := slowly(t, 1)
				f := all[0]
				f.nodes = append(f.nodes, node("d"), node("e"), node("f"))
				first := true
				mustTogether(t, all, func(f *fixture) error {
					err := f.ensure()
					if first {
						first, d.observes = false, 0
						test.change(d, f)
					}
					return err
				})
				if !slices.Equal(d.added, test.added) || d.observes != test.looks {
					t.Errorf("added %q, %d looks; want %q and %d", d.added, d.observes, test.added, test.looks)
				}
			})
		})
	}
}

// A step that fails is the failure of the change, and the balancer is looked at before it is tried again.
func TestStepThatFailsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, all := slowly(t, 1)
		f := all[0]
		f.nodes = append(f.nodes, node("broken"), node("d"))
		d.observes = 0
		fails(t, together(t, all, (*fixture).ensure), "broken")
		if d.observes < 2 {
			t.Error("the balancer was not looked at")
		}
		time.Sleep(time.Minute)
	})
}

// Balancers whose deletion ends later are confirmed by one list, that tells what is left too. The credentials are not
// asked about: they have told the end.
func TestManyDeletionsThatEndLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, all := slowly(t, 50)
		mustTogether(t, all, func(f *fixture) error { return f.Delete(t.Context(), leaving(f)) })
		if len(d.balancers) != 0 || d.lists > 3 || d.observes > manyServices-1 || d.trust != 0 {
			t.Errorf("%d balancers left, %d lists, %d observations, asked %d times about the credentials", len(d.balancers), d.lists, d.observes, d.trust)
		}
	})
}

// What is left of a balancer is deleted before its Service goes.
func TestDeletionThatEndsLaterLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, all := slowly(t, 1)
		d.remains = true
		mustTogether(t, all, func(f *fixture) error { return f.Delete(t.Context(), leaving(f)) })
		if len(d.balancers) != 0 || d.remains || d.trust != 0 {
			t.Errorf("%d balancers left, more left: %t, asked %d times about the credentials", len(d.balancers), d.remains, d.trust)
		}
	})
}

// An operation that the cloud does not know, or only other credentials, proves nothing: then the credentials are.
func TestDeletionWhoseEndIsNotKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, all := slowly(t, 1)
		f := all[0]
		d.forget()
		f.distrust = errors.New("another account")
		fails(t, together(t, all, func(f *fixture) error { return f.Delete(t.Context(), leaving(f)) }), "another account")
		if d.trust == 0 {
			t.Error("the credentials were not asked about")
		}
	})
}
