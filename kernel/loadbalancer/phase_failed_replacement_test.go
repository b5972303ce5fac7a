package loadbalancer

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Failed, as in phase_failed_test.go: here a balancer was made in the place of one that was deleted, and the cloud refused it after it
// had answered.
//
//	the failure                            then                                           test
//	is told                                the next Ensure makes the old one again        TestReplacementThatIsRefusedLate, TestFailedReplacement
//	 and a target update, a plan, or a     the same                                       TestFailedReplacement
//	 look that fails comes before or after
//	 and another process comes             it tries once more, then does the same         TestFailedReplacement
//	 and the Service goes                  nothing is made                                TestFailedReplacement
//	 and the Service asks for another one  that is made                                   TestFailedReplacementOfAnotherRequest
//	 and is one that may pass              the new one is asked for again                 TestFailedReplacementThatMayPass

// replaced returns a Service whose balancer was deleted for another one, which is being made.
func replaced(t *testing.T) (*pacedCloud, *fixture) {
	t.Helper()
	d, f := pacedBalancer(t)
	f.internal()
	waits(t, f.ensure(), problem.PollFirst) // for the record
	d.begins(f)
	d.end(nil)
	d.begins(f)
	return d, f
}

func TestFailedReplacement(t *testing.T) {
	refusal := &cloud.Invalid{Field: "scope", Value: "internal", Want: "a subnet"}
	const restored = "LoadBalancerReplacementRefused: the cloud refused the new balancer, so the one before is made again"
	for name, test := range map[string]struct {
		// before and after come before it is told, and after that.
		before, after func(*pacedCloud, *fixture)
		creations     int
	}{
		"nothing":                {nil, nil, 1},
		"a target update before": {func(_ *pacedCloud, f *fixture) { fails(f.t, f.updateTargets(), "has no balancer") }, nil, 1},
		"a plan before":          {func(_ *pacedCloud, f *fixture) { _, _ = f.plan(f.nodes...) }, nil, 1},
		"a target update after":  {nil, func(_ *pacedCloud, f *fixture) { fails(f.t, f.updateTargets(), "has no balancer") }, 1},
		"a plan after":           {nil, func(_ *pacedCloud, f *fixture) { f.forecasts("create balancer") }, 1},
		"a look that fails":      {nil, func(d *pacedCloud, f *fixture) { d.cannotLook(f) }, 1},
		"another process": {nil, func(d *pacedCloud, f *fixture) {
			f.restart()
			d.refusesAgain(f, refusal)
			fails(f.t, f.ensure(), "a subnet")
		}, 2},
		"another process, not told": {func(d *pacedCloud, f *fixture) {
			f.restart()
			time.Sleep(creation.Settling) // until then nobody knows that it was not made
			d.refusesAgain(f, refusal)
		}, nil, 2},
		"a deletion": {nil, func(_ *pacedCloud, f *fixture) { must(f.t, f.delete()); f.wrote() }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, f := replaced(t)
				d.end(refusal)
				if test.before != nil {
					test.before(d, f)
				}
				fails(t, f.ensure(), "a subnet")
				if test.after != nil {
					test.after(d, f)
				}
				f.events.take()
				d.prompt, d.writes = true, nil
				if test.creations == 0 {
					return
				}
				must(t, f.ensure())
				f.wrote("create balancer")
				if f.only().Scope != cloud.ScopeExternal {
					t.Errorf("the balancer is %s, want it as it was before", f.only().Scope)
				}
				f.said(restored)
				if d.serial != 1+test.creations+1 {
					t.Errorf("%d balancers were made", d.serial)
				}
				f.settle()
				f.wrote()
			})
		})
	}
}

// cannotLook has an Ensure fail for another reason.
func (d *pacedCloud) cannotLook(f *fixture) {
	f.t.Helper()
	d.fail = func(string, bool) error { return errBroken }
	failsWith(f.t, f.ensure(), errBroken)
	d.fail = nil
}

// refusesAgain has the new balancer made once more, and refused once more.
func (d *pacedCloud) refusesAgain(f *fixture, refusal error) {
	f.t.Helper()
	d.begins(f)
	d.end(refusal)
}

// What may pass is no reason to give the new balancer up.
func TestFailedReplacementThatMayPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := replaced(t)
		d.end(errThrottled)
		waits(t, f.ensure(), 42*time.Second)
		f.events.take()
		d.prompt = true
		must(t, f.ensure())
		f.wrote("create balancer")
		if f.only().Scope != cloud.ScopeInternal {
			t.Errorf("the balancer is %s, want the new one", f.only().Scope)
		}
		f.said()
	})
}

// A Service that asks for something else by now gets that, and nothing is put back.
func TestFailedReplacementOfAnotherRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := replaced(t)
		d.end(&cloud.Invalid{Field: "scope", Value: "internal", Want: "a subnet"})
		fails(t, f.ensure(), "a subnet")
		f.said("CloudFailure: invalid: ")
		f.svc.Annotations[keyProxy.Name] = "true"
		d.prompt = true
		must(t, f.ensure())
		f.wrote("create balancer")
		if b := f.only(); b.Scope != cloud.ScopeInternal || b.ProviderFields["proxy"] != "true" {
			t.Errorf("the balancer is %+v, want the one that is asked for by now", b.Balancer)
		}
		f.said()
	})
}
