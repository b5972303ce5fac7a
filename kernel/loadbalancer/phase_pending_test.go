package loadbalancer

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Pending: the cloud was busy with the balancer when it was last looked at.
//
//	begins with                                                    test
//	a look of Ensure, UpdateTargets or Delete that shows it        TestPendingBalancerIsNotChanged
//	the answer to a creation                                       TestEnsureWaitsForTheCloud
//	the answer to a target update                                  TestUpdateTargetsIsPendingWhileTheCloudIs
//	the answer to a deletion                                       TestDeleteWaitsUntilNothingIsLeft
//	the answer to a change of the balancer                         TestPendingAfterAnAnswer
//	operations whose end nobody knows                              TestPendingAfterAnUnknownEnd
//
//	ends with                              then                                           test
//	a look of Ensure that shows it done    the difference is written, the Service is told TestPendingEnds
//	a look of UpdateTargets                the targets are written                        TestPendingEnds
//	a look of Delete                       it is deleted                                  TestPendingEnds, TestPendingCreationIsDeleted
//	a look that shows it failed            Ensure says so, targets and deletion go on     TestPendingBalancerFails
//	 the same before it ever served        it is made anew                                TestFailedCreationIsMadeAnewWithItsRecord
//	a look that shows it gone              another one is made; nothing is deleted        TestPendingBalancerGoes
//	a look that shows it pending           nothing is written, the next wait is longer    TestPendingWaitsGrow
//	a look that fails                      the failure is told, nothing is written        TestPendingLookFails
//	a restart                              no second balancer; the waits begin anew       TestEnsureWaitsForTheCloud, TestPendingWaitsGrow
//
//	meanwhile                              then                                           test
//	the Service or its nodes change        one write of what is asked for last            TestPendingServiceChanges
//	 a node joins before it has served     the Service is told first                      TestTargetsWaitForTheAddress
//	the Service is left alone              nobody waits, looks or writes                  TestPendingServiceIsLeftAlone
//	a plan is asked for                    it is shown, nothing else changes              TestPendingForecast
//	many Services wait                     they look at young lists                       TestPendingBalancerIsLookedAtInAYoungBulkList
//	anything is asked of the cloud         it has the priority of what has begun          TestPurposes

// pendingBalancer returns a Service with an old balancer that the cloud shows busy so many more times, as the first look has found.
func pendingBalancer(t *testing.T, more int) *fixture {
	t.Helper()
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	time.Sleep(time.Hour)
	f.only().busy = 1 + more
	waits(t, f.ensure(), problem.PollFirst)
	f.driver.observes = 0
	return f
}

func TestPendingEnds(t *testing.T) {
	for name, want := range map[string]string{"ensure": "update balancer proxy; delete target c", "target update": "delete target c", "deletion": "delete balancer"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := pendingBalancer(t, 2)
				f.svc.Annotations[keyProxy.Name] = "true"
				f.nodes = f.nodes[:2]
				for range 2 {
					if err := runs[name](f); !isPending(err) {
						t.Errorf("%v, want that it waits while the cloud is busy", err)
					}
				}
				f.wrote()
				must(t, runs[name](f))
				f.wrote(want)
				f.said()
			})
		})
	}
}

// The deletion waits for the creation, and nothing is made twice.
func TestPendingCreationIsDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.driver.busy = 2
		waits(t, f.ensure(), 7*time.Second)
		time.Sleep(7 * time.Second)
		if err := f.delete(); !isPending(err) {
			t.Errorf("%v, want that it waits while the cloud is busy", err)
		}
		f.wrote("create balancer")
		must(t, f.delete())
		f.wrote("delete balancer")
		must(t, f.delete())
		f.wrote()
	})
}

func TestPendingAfterAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		f.wrote("create balancer")
		f.svc.Annotations[keyProxy.Name] = "true"
		f.driver.fail = func(call string, done bool) error {
			if call == "apply" && !done {
				f.only().busy = 2
			}
			return nil
		}
		waits(t, f.ensure(), 7*time.Second)
		f.wrote("update balancer proxy")
		f.svc.Status.LoadBalancer.Ingress = nil
		waits(t, f.ensure(), problem.PollFirst)
		must(t, f.ensure())
		f.wrote()
		if len(f.svc.Status.LoadBalancer.Ingress) != 1 {
			t.Error("the Service is not told where its balancer is")
		}
	})
}

// That nobody knows how an operation has ended is no failure: the balancer is looked at, and what is missing is asked for.
func TestPendingAfterAnUnknownEnd(t *testing.T) {
	for effect, again := range map[bool][]string{true: nil, false: {"update balancer proxy"}} {
		synctest.Test(t, func(t *testing.T) {
			d, f := pacedBalancer(t)
			f.svc.Annotations[keyProxy.Name] = "true"
			waits(t, f.ensure(), problem.PollFirst)
			f.wrote("update balancer proxy")
			d.forget(effect)
			f.only().busy, d.prompt = 1, true
			if err := f.ensure(); !isPending(err) {
				t.Errorf("%v, want that it waits while the cloud is busy", err)
			}
			f.wrote()
			must(t, f.ensure())
			f.wrote(again...)
			f.said()
		})
	}
}

func TestPendingBalancerFails(t *testing.T) {
	const why = "balancer lb-1 has failed: its host is gone"
	for name, test := range map[string]struct {
		err    string
		writes []string
		said   []string
	}{
		"ensure":        {why, []string{"delete target c"}, []string{"CloudFailure: " + why}},
		"target update": {"", []string{"delete target c"}, nil},
		"deletion":      {"", []string{"delete balancer"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := pendingBalancer(t, 0)
				f.only().failed = "its host is gone"
				f.nodes = f.nodes[:2]
				if err := runs[name](f); test.err != "" {
					fails(t, err, test.err)
				} else {
					must(t, err)
				}
				f.wrote(test.writes...)
				f.said(test.said...)
			})
		})
	}
}

func TestPendingBalancerGoes(t *testing.T) {
	for name, test := range map[string]struct {
		err    string
		writes []string
	}{
		"ensure":        {"", []string{"create balancer"}},
		"target update": {"has no balancer", nil},
		"deletion":      {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := pendingBalancer(t, 5)
				clear(f.driver.balancers)
				if err := runs[name](f); test.err != "" {
					fails(t, err, test.err)
				} else {
					must(t, err)
				}
				f.wrote(test.writes...)
				f.said()
			})
		})
	}
}

// Each look at a balancer that stays pending comes later than the one before, whoever looks. One that is pending once more, and one
// that another process finds, is looked at as soon as the first one was.
func TestPendingWaitsGrow(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := pendingBalancer(t, 1<<20)
				time.Sleep(problem.PollFirst)
				for n, want := range []time.Duration{1, 2, 4} {
					run := run
					if n == 1 {
						run = (*fixture).updateTargets
					}
					waits(t, run(f), want*time.Second)
					time.Sleep(want * time.Second)
				}
				f.restart()
				waits(t, run(f), problem.PollFirst)
				time.Sleep(time.Minute)
				waits(t, run(f), 12*time.Second)
				f.only().busy = 0
				if must(t, run(f)); name == "deletion" {
					return
				}
				f.only().busy = 2
				waits(t, run(f), problem.PollFirst)
				f.looked(7)
			})
		})
	}
}

func TestPendingLookFails(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := pendingBalancer(t, 1)
				f.svc.Annotations[keyProxy.Name] = "true"
				f.nodes = f.nodes[:2]
				f.driver.fail = func(string, bool) error { return errBroken }
				failsWith(t, run(f), errBroken)
				f.said("CloudFailure: ")
				f.driver.fail = nil
				waits(t, run(f), problem.PollFirst)
				f.wrote()
				must(t, run(f))
				if len(f.driver.writes) != 1 {
					t.Errorf("writes %q, want one", f.driver.writes)
				}
				f.said()
			})
		})
	}
}

// What was asked for meanwhile, and is not any more, is never written.
func TestPendingServiceChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := pendingBalancer(t, 2)
		f.svc.Annotations[keyAlgorithm.Name] = "random"
		f.nodes = f.nodes[:1]
		waits(t, f.ensure(), problem.PollFirst)
		delete(f.svc.Annotations, keyAlgorithm.Name)
		f.svc.Annotations[keyProxy.Name] = "true"
		f.nodes = []*corev1.Node{node("a"), node("b"), node("c"), node("d")}
		waits(t, f.updateTargets(), problem.PollFirst)
		must(t, f.ensure())
		f.wrote("create target d; update balancer proxy")
		must(t, f.ensure())
		f.wrote()
	})
}

func TestPendingServiceIsLeftAlone(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := pendingBalancer(t, 5)
				f.svc.Annotations[annotation.Disown.Name] = "true"
				must(t, run(f))
				f.looked(0)
				f.wrote()
			})
		})
	}
}

// A plan is for the state that the cloud shows meanwhile. It neither ends the phase nor has anything written.
func TestPendingForecast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := pendingBalancer(t, 2)
		f.svc.Annotations[keyProxy.Name] = "true"
		time.Sleep(4 * time.Second)
		f.forecasts("update balancer proxy")
		waits(t, f.ensure(), 4*time.Second)
		f.wrote()
		must(t, f.ensure())
		f.wrote("update balancer proxy")
		f.said()
	})
}
