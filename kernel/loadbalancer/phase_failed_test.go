package loadbalancer

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Failed: an operation of the last change has failed after the cloud had answered.
//
//	begins with                                                    test
//	a creation, a change, a target update, a deletion              TestFailedIsToldOnce
//	a further target                                               TestStepThatFailsLate
//	the deletion of a balancer that was replaced                   TestOldBalancerThatCannotBeDeletedLate
//
//	ends with                              then                                           test
//	Ensure                                 it is told once; the next Ensure writes again  TestFailedIsToldOnce
//	 while nodes come and go               the targets follow in the same run             TestFailedTargetsFollow
//	 that has to wait by what failed       it waits so long                               TestFailedForAWhile
//	 of another request                    it is told, then that is written               TestFailedServiceChanges
//	 again and again                       it is told each time, and never given up       TestFailedAgainAndAgain
//	Delete                                 it is told once; the next Delete deletes       TestFailedIsToldOnce
//	Ensure, then Delete, or the reverse    it is told by the first one alone              TestFailedIsToldByOne
//	a restart                              nobody is told; it is written again            TestRunningRestart
//
//	meanwhile                              then                                           test
//	UpdateTargets                          it does what it can and tells nothing          TestFailedTargetUpdate
//	 whose operations go on                Ensure and Delete wait for them                TestFailedTargetUpdate
//	 that fails too                        the first failure is told, once                TestFailedTargetUpdate
//	a plan is asked for                    it is shown, nothing else changes              TestFailedForecast
//
// phase_failed_replacement_test.go has what follows where it made a balancer in the place of one that was deleted.

// failed returns what a change of that kind has left that has failed. What is asked for from now on ends with the answer.
func failed(t *testing.T, begun string) (*pacedCloud, *fixture) {
	t.Helper()
	d, f := beginnings[begun](t)
	d.end(errBroken)
	d.prompt = true
	return d, f
}

const toldOnce = "CloudFailure: unknown: operation: broken"

// afterFailure is what is written by the run that tells a failure and the one after it.
var afterFailure = map[string]map[string][]string{
	"creation":      {"ensure": {"create balancer"}, "deletion": nil},
	"change":        {"ensure": {"update balancer proxy"}, "deletion": {"delete balancer"}},
	"target update": {"ensure": {"delete target c"}, "deletion": {"delete balancer"}},
	"deletion":      {"ensure": nil, "deletion": {"delete balancer"}},
}

func TestFailedIsToldOnce(t *testing.T) {
	each(t, func(t *testing.T, begun, next string) {
		if next == "target update" {
			return // it tells nothing, see TestFailedTargetUpdate
		}
		_, f := failed(t, begun)
		failsWith(t, runs[next](f), errBroken)
		f.said(toldOnce)
		for range 2 {
			must(t, runs[next](f))
		}
		f.said()
		f.wrote(afterFailure[begun][next]...)
	})
}

// What one run has told, no other one tells again.
func TestFailedIsToldByOne(t *testing.T) {
	for first, second := range map[string]string{"ensure": "deletion", "deletion": "ensure"} {
		for begun := range beginnings {
			t.Run(begun+", "+first+", "+second, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					_, f := failed(t, begun)
					failsWith(t, runs[first](f), errBroken)
					f.said(toldOnce)
					must(t, runs[second](f))
					f.said()
				})
			})
		}
	}
}

// A target update comes between the failure and the run that tells it.
func TestFailedTargetUpdate(t *testing.T) {
	other := errors.New("another failure")
	for name, between := range map[string]func(*pacedCloud, *fixture){
		"has nothing to do": func(_ *pacedCloud, f *fixture) {
			must(f.t, f.updateTargets())
			f.wrote()
		},
		"writes": func(_ *pacedCloud, f *fixture) {
			f.nodes = f.nodes[:2]
			must(f.t, f.updateTargets())
			f.wrote("delete target c")
		},
		"begins an operation": func(d *pacedCloud, f *fixture) { f.operates(d, f.nodes[:2]...); d.end(nil) },
		"fails later":         func(d *pacedCloud, f *fixture) { f.operates(d, f.nodes[:2]...); d.end(other) },
		"begins two operations": func(d *pacedCloud, f *fixture) {
			f.operates(d, f.nodes[:2]...)
			d.end(nil)
			f.operates(d, node("a"), node("b"), node("d"))
			d.end(other)
		},
		"is not known to have ended": func(d *pacedCloud, f *fixture) { f.operates(d, f.nodes[:2]...); d.forget(true) },
		"cannot look": func(d *pacedCloud, f *fixture) {
			d.fail = func(string, bool) error { return other }
			failsWith(f.t, f.updateTargets(), other)
			d.fail = nil
			f.said("CloudFailure: unknown: observe balancer: another failure")
		},
	} {
		for _, next := range []string{"ensure", "deletion"} {
			t.Run(name+", then "+next, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d, f := failed(t, "change")
					between(d, f)
					f.said()
					d.prompt, d.writes = true, nil
					failsWith(t, runs[next](f), errBroken)
					f.said(toldOnce)
					must(t, runs[next](f))
					f.said()
					if last := d.writes[len(d.writes)-1]; next == "ensure" && last != "update balancer proxy" || next == "deletion" && last != "delete balancer" {
						t.Errorf("writes %q", d.writes)
					}
				})
			})
		}
	}
}

// operates updates the targets to other nodes, which goes on. Everybody waits for that.
func (f *fixture) operates(d *pacedCloud, nodes ...*corev1.Node) {
	f.t.Helper()
	d.prompt, f.nodes = false, nodes
	waits(f.t, f.updateTargets(), problem.PollFirst)
	for _, run := range runs {
		waits(f.t, run(f), operationWait)
	}
}

func TestFailedTargetsFollow(t *testing.T) {
	other := errors.New("another failure")
	for name, test := range map[string]struct {
		refuse error
		said   []string
		first  []string
		then   string
	}{
		"and they can":    {nil, []string{toldOnce}, []string{"create target d; delete target a"}, "update balancer proxy"},
		"and they cannot": {other, []string{toldOnce, "CloudFailure: unknown: apply balancer: another failure"}, nil, "create target d; update balancer proxy; delete target a"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, f := failed(t, "change")
				f.nodes = append(f.nodes[1:], node("d"))
				d.refuse = func(cloud.Change) error { return test.refuse }
				failsWith(t, f.ensure(), errBroken)
				f.said(test.said...)
				f.wrote(test.first...)
				d.refuse = nil
				must(t, f.ensure())
				f.wrote(test.then)
				f.said()
			})
		})
	}
}

func TestFailedForAWhile(t *testing.T) {
	for _, next := range []string{"ensure", "deletion"} {
		synctest.Test(t, func(t *testing.T) {
			d, f := beginnings["change"](t)
			d.end(errThrottled)
			d.prompt = true
			waits(t, runs[next](f), 42*time.Second)
			f.said("CloudFailure: throttled: ")
			must(t, runs[next](f))
			f.said()
		})
	}
}

func TestFailedServiceChanges(t *testing.T) {
	for name, test := range map[string]struct {
		proxy string
		want  []string
	}{"to what there is": {"false", nil}, "to something else": {"true", []string{"update balancer proxy"}}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, f := pacedBalancer(t)
				f.svc.Spec.Ports[0].NodePort = 31080
				d.begins(f)
				d.end(errBroken)
				d.prompt = true
				f.svc.Spec.Ports[0].NodePort = 30080
				f.svc.Annotations[keyProxy.Name] = test.proxy
				failsWith(t, f.ensure(), errBroken)
				f.said(toldOnce)
				f.wrote()
				must(t, f.ensure())
				f.wrote(test.want...)
				f.said()
			})
		})
	}
}

// begins begins the next step of what the Service asks for.
func (d *pacedCloud) begins(f *fixture) {
	f.t.Helper()
	before := len(d.running)
	if err := f.ensure(); !isPending(err) || len(d.running) != before+1 {
		f.t.Fatalf("%v, %d operations", err, len(d.running))
	}
	d.writes = nil
}

// That a change fails is no sign that the cloud does not keep it.
func TestFailedAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := beginnings["change"](t)
		for range 6 {
			d.end(errBroken)
			failsWith(t, f.ensure(), errBroken)
			f.said(toldOnce)
			d.begins(f)
			f.said()
		}
		d.end(nil)
		must(t, f.ensure())
		f.said()
	})
}

func TestFailedForecast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, f := failed(t, "change")
		for range 2 {
			f.forecasts("update balancer proxy")
		}
		f.said()
		failsWith(t, f.ensure(), errBroken)
		f.said(toldOnce)
		f.forecasts("update balancer proxy")
		f.wrote()
	})
}
