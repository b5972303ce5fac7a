package loadbalancer

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/refused"
)

// Interrupted: the operations of a change of targets have ended well, and targets are left that take operations of their own.
//
//	begins with                                                    test
//	an operation for one of several targets that has ended well    TestStepsOfTargetsNeedNoLook
//
//	ends with                              then                                           test
//	Ensure                                 the next target is asked for, without a look   TestStepsThatNeedALook: nothing else
//	 a minute later, or with other nodes,  the balancer is looked at first                TestStepsThatNeedALook
//	  or with another request
//	 with another id on the Service        that balancer is looked at                     TestInterrupted: another id
//	 in another process                    the balancer is looked at first                TestInterrupted: a restart
//	 while machines cannot be read         it is looked at first, and that is told        TestInterruptedMachinesCannotBeRead
//	 of a Service that is gone             nothing is written                             TestInterruptedServiceIsGone
//	 and the cloud answers with a conflict it is looked at, in the same run               TestInterrupted: a conflict
//	 and the cloud answers with a failure  that is told once, and it is looked at         TestInterruptedStepFails
//	 and the cloud refuses the target      the others are asked for without it            TestInterruptedTargetIsRefused
//	 and the operation fails               failed, and it is looked at                    TestStepThatFailsLate
//	UpdateTargets                          the balancer is looked at, no target is asked  TestInterruptedTargetUpdates
//	                                       for twice
//	Delete                                 it is looked at and deleted, no target is      TestInterruptedDeletion
//	                                       asked for any more
//
//	meanwhile                              then                                           test
//	a plan is asked for                    it shows what is left                          TestInterrupted: a plan

// interrupted returns a Service with a balancer to which d was added, e and f are not yet, and nothing goes on.
func interrupted(t *testing.T) (*slowCloud, *fixture) {
	t.Helper()
	d, all := slowly(t, 1)
	t.Cleanup(func() { time.Sleep(time.Minute) }) // nobody asks for states any more
	f := all[0]
	f.nodes = append(f.nodes, node("d"), node("e"), node("f"))
	waits(t, f.ensure(), problem.PollFirst)
	time.Sleep(5 * time.Second)
	d.pass()
	if got := f.only().Targets; !slices.Equal(got, []cloud.InstanceID{"a", "b", "c", "d"}) {
		t.Fatalf("targets %q", got)
	}
	d.observes = 0
	return d, f
}

// arrives fails the test unless the balancer has all targets in the end, and each was asked for so often.
func (d *slowCloud) arrives(f *fixture, added ...cloud.InstanceID) {
	f.t.Helper()
	mustTogether(f.t, []*fixture{f}, (*fixture).ensure)
	if got := f.only().Targets; !slices.Equal(got, []cloud.InstanceID{"a", "b", "c", "d", "e", "f"}) || !slices.Equal(d.added, added) {
		f.t.Errorf("targets %q, asked for %q, want %q", got, d.added, added)
	}
}

func TestInterrupted(t *testing.T) {
	for name, test := range map[string]struct {
		// between is what happens before the next Ensure, and looks how often that one looks before it asks for e.
		between func(*slowCloud, *fixture)
		looks   int
	}{
		"nothing": {func(*slowCloud, *fixture) {}, 0},
		"a plan": {func(d *slowCloud, f *fixture) {
			f.forecasts("create target e", "create target f")
			d.observes = 0
		}, 0},
		"a restart":   {func(_ *slowCloud, f *fixture) { f.restart() }, 1},
		"a conflict":  {func(d *slowCloud, _ *fixture) { d.failsOnce(errConflict) }, 1},
		"another id":  {func(_ *slowCloud, f *fixture) { f.svc.Annotations[keyID.Name] = "lb-77" }, 1},
		"the same id": {func(_ *slowCloud, f *fixture) { f.svc.Annotations[keyID.Name] = "lb-1" }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, f := interrupted(t)
				test.between(d, f)
				if err := f.ensure(); !isPending(err) {
					t.Fatalf("%v, want that it goes on", err)
				}
				f.looked(test.looks)
				d.arrives(f, "d", "e", "f")
				f.said()
			})
		})
	}
}

// failsOnce has the next request fail with that answer.
func (d *slowCloud) failsOnce(err error) {
	d.fail = func(call string, done bool) error {
		if call != "apply" || done {
			return nil
		}
		d.fail = nil
		return err
	}
}

func TestInterruptedTargetUpdates(t *testing.T) {
	const has = 4 // targets
	for name, nodes := range map[string]int{"the same nodes": 6, "one more node, then all": 5, "no more nodes, then all": 4} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, f := interrupted(t)
				err := f.UpdateTargets(t.Context(), f.svc, f.nodes[:nodes])
				if asks := nodes > has; asks != isPending(err) || !asks && err != nil {
					t.Fatalf("%v, asks for a target: %t", err, asks)
				}
				f.looked(1)
				waitsOrEnds(t, f.updateTargets())
				d.arrives(f, "d", "e", "f")
				f.said()
			})
		})
	}
}

// waitsOrEnds fails the test where a run failed.
func waitsOrEnds(t *testing.T, err error) {
	t.Helper()
	if err != nil && !isPending(err) {
		t.Fatal(err)
	}
}

func TestInterruptedDeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := interrupted(t)
		mustTogether(t, []*fixture{f}, (*fixture).delete)
		if len(d.balancers) != 0 || len(d.added) != 1 {
			t.Errorf("%d balancers are left, asked for %q", len(d.balancers), d.added)
		}
		if d.observes == 0 {
			t.Error("it was deleted without a look")
		}
		f.said()
	})
}

func TestInterruptedStepFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := interrupted(t)
		d.failsOnce(errBroken)
		failsWith(t, f.ensure(), errBroken)
		f.looked(0)
		f.said("CloudFailure: ")
		if err := f.ensure(); !isPending(err) {
			t.Fatalf("%v, want that it goes on", err)
		}
		f.looked(1)
		d.arrives(f, "d", "e", "f")
		f.said()
	})
}

func TestInterruptedTargetIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := interrupted(t)
		d.failsOnce(&cloud.TargetsRefused{Named: []cloud.InstanceID{"e"}, Text: "it is odd", Err: &cloud.Invalid{}})
		waits(t, f.ensure(), refused.TrialPause)
		mustTogether(t, []*fixture{f}, func(f *fixture) error { return pendingAgain(f, f.ensure(), "f") })
		if got := f.only().Targets; !slices.Equal(got, []cloud.InstanceID{"a", "b", "c", "d", "f"}) {
			t.Errorf("targets %q", got)
		}
	})
}

// pendingAgain is that a run waits until the balancer has that target.
func pendingAgain(f *fixture, err error, target cloud.InstanceID) error {
	if err == nil && !slices.Contains(f.only().Targets, target) {
		return &Pending{After: time.Second}
	}
	return err
}

func TestInterruptedMachinesCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := interrupted(t)
		f.machines.unread = map[cloud.InstanceID]bool{"a": true}
		if err := f.ensure(); !isPending(err) {
			t.Fatalf("%v, want that it goes on", err)
		}
		f.looked(1)
		fails(t, together(t, []*fixture{f}, (*fixture).ensure), "reading the machines")
		f.machines.unread = nil
		d.arrives(f, "d", "e", "f")
	})
}

func TestInterruptedServiceIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := interrupted(t)
		gone := f.svc.DeepCopy()
		gone.Spec.Type = corev1.ServiceTypeClusterIP
		f.others = []*corev1.Service{gone}
		waits(t, f.ensure(), problem.PollFirst)
		if len(d.added) != 1 {
			t.Errorf("asked for %q", d.added)
		}
		f.others = nil
		d.arrives(f, "d", "e", "f")
	})
}
