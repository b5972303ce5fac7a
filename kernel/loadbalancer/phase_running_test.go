package loadbalancer

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Running: operations of the last change go on.
//
//	begins with                                                    test
//	a creation, a change, a target update, a deletion that was     TestRunningIsWaitedFor
//	 answered with operations
//	the deletion of a balancer that was replaced                   TestOldBalancerThatCannotBeDeletedLate
//
//	ends with                              then                                           test
//	all operations have ended well         the balancer is looked at; what is left of     TestRunningEndsWell
//	                                       the difference is written
//	 and targets are left                  interrupted                                    phase_interrupted_test.go
//	 and they were a deletion              removed: one look, nobody doubts it            TestManyDeletionsThatEndLater
//	 and the balancer is there all the     it is deleted again, and leaves nothing        TestRunningDeletionThatKeepsIt,
//	  same, or something of it                                                            TestDeletionThatEndsLaterLeavesNothing
//	 and the Service wants one again       another one is made; that is deleted later     TestRunningDeletionThenEnsure
//	one has failed                         failed                                         phase_failed_test.go
//	the cloud does not know how one ended  the balancer is looked at, nothing is said     TestRunningEndIsNotKnown,
//	                                                                                      TestPendingAfterAnUnknownEnd
//	 and it was a deletion                 the credentials are asked about                TestDeletionWhoseEndIsNotKnown
//	a restart                              the balancer is looked at                      TestRunningRestart
//
//	meanwhile                              then                                           test
//	Ensure, UpdateTargets, Delete          they wait for the end, without a look          TestRunningIsWaitedFor
//	a plan is asked for                    it is shown, nothing else changes              TestRunningForecast
//	the Service changes                    the difference is written after the end        TestRunningServiceChanges
//	the Service is left alone              nobody waits, looks or writes                  TestRunningServiceIsLeftAlone
//	anything is asked of the cloud         it has the priority of what has begun          TestRunningHasPriority
//	another Service reads a bulk list      it is not believed after the end               TestRunningListFromBeforeTheEnd

// endOf returns what tells the end of the operations that a run waits for.
func endOf(t *testing.T, err error) <-chan struct{} {
	t.Helper()
	waits(t, err, operationWait)
	pending, _ := errors.AsType[*Pending](err)
	return pending.Ended
}

func TestRunningIsWaitedFor(t *testing.T) {
	each(t, func(t *testing.T, begun, next string) {
		d, f := beginnings[begun](t)
		f.svc.Annotations[keyAlgorithm.Name] = "random"
		f.nodes = f.nodes[:1]
		ended := endOf(t, runs[next](f))
		select {
		case <-ended:
			t.Error("the end was told while the operation went on")
		default:
		}
		f.looked(0)
		f.wrote()
		f.said()
		d.end(nil)
		select {
		case <-ended:
		default:
			t.Error("the end was not told")
		}
	})
}

// nothingLeft is what the next run comes to after operations that have ended well.
var nothingLeft = map[string]map[string]outcome{
	"creation":      {"ensure": {}, "target update": {}, "deletion": {"", []string{"delete balancer"}}},
	"change":        {"ensure": {}, "target update": {}, "deletion": {"", []string{"delete balancer"}}},
	"target update": {"ensure": {}, "target update": {}, "deletion": {"", []string{"delete balancer"}}},
	"deletion":      {"ensure": {"", []string{"create balancer"}}, "target update": {"has no balancer", nil}, "deletion": {}},
}

func TestRunningEndsWell(t *testing.T) {
	each(t, func(t *testing.T, begun, next string) {
		d, f := beginnings[begun](t)
		d.end(nil)
		d.prompt = true
		f.forecastsOnly(begun)
		f.driver.observes = 0
		err := runs[next](f)
		if f.driver.observes == 0 {
			t.Error("nobody has looked")
		}
		f.comesTo(nothingLeft[begun][next], err)
		if next == "ensure" && len(f.svc.Status.LoadBalancer.Ingress) != 1 {
			t.Error("the Service is not told where its balancer is")
		}
		f.said()
	})
}

// forecastsOnly fails the test unless a plan has nothing to do, but to make anew what was deleted.
func (f *fixture) forecastsOnly(begun string) {
	f.t.Helper()
	if begun == "deletion" {
		f.forecasts("create balancer")
		return
	}
	f.forecasts()
}

const busyCloud = "the cloud is working on the balancer"

// everythingLeft is what the next run comes to after operations that had no effect.
var everythingLeft = map[string]map[string]outcome{
	"creation":      {"ensure": {busyCloud, nil}, "target update": {busyCloud, nil}, "deletion": {busyCloud, nil}},
	"change":        {"ensure": {"", []string{"update balancer proxy"}}, "target update": {}, "deletion": {"", []string{"delete balancer"}}},
	"target update": {"ensure": {"", []string{"delete target c"}}, "target update": {"", []string{"delete target c"}}, "deletion": {"", []string{"delete balancer"}}},
	"deletion":      {"ensure": {}, "target update": {}, "deletion": {"", []string{"delete balancer"}}},
}

func TestRunningEndIsNotKnown(t *testing.T) {
	for effect, want := range map[bool]map[string]map[string]outcome{true: nothingLeft, false: everythingLeft} {
		each(t, func(t *testing.T, begun, next string) {
			d, f := beginnings[begun](t)
			d.forget(effect)
			d.prompt = true
			f.comesTo(want[begun][next], runs[next](f))
			f.said()
		})
	}
}

// Another process knows of no operation. It does what the cloud shows to be left, and tells of no failure that it did not see.
func TestRunningRestart(t *testing.T) {
	each(t, func(t *testing.T, begun, next string) {
		d, f := beginnings[begun](t)
		f.restart()
		if begun != "creation" {
			d.end(errBroken)
		}
		d.prompt = true
		f.comesTo(everythingLeft[begun][next], runs[next](f))
		f.said()
		if begun == "creation" {
			d.end(nil)
			f.comesTo(nothingLeft[begun][next], runs[next](f))
		}
	})
}

func TestRunningForecast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := beginnings["change"](t)
		f.forecasts("update balancer proxy")
		waits(t, f.ensure(), operationWait)
		d.end(nil)
		d.prompt = true
		f.forecasts()
		must(t, f.ensure())
		f.wrote()
		f.said()
	})
}

func TestRunningServiceChanges(t *testing.T) {
	for name, test := range map[string]struct {
		proxy string
		node  string
		want  []string
	}{
		"back to what it was": {"false", "c", []string{"update balancer proxy"}},
		"and so do its nodes": {"true", "d", []string{"create target d; delete target c"}},
		"both":                {"false", "d", []string{"create target d; update balancer proxy; delete target c"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, f := beginnings["change"](t)
				f.svc.Annotations[keyProxy.Name] = test.proxy
				f.nodes[2] = node(test.node)
				waits(t, f.ensure(), operationWait)
				d.end(nil)
				d.prompt = true
				must(t, f.ensure())
				f.wrote(test.want...)
			})
		})
	}
}

func TestRunningServiceIsLeftAlone(t *testing.T) {
	each(t, func(t *testing.T, begun, next string) {
		d, f := beginnings[begun](t)
		f.svc.Annotations[annotation.Disown.Name] = "true"
		must(t, runs[next](f))
		d.end(errBroken)
		must(t, runs[next](f))
		f.looked(0)
		f.wrote()
	})
}

func TestRunningHasPriority(t *testing.T) {
	for _, begun := range []string{"change", "target update"} {
		synctest.Test(t, func(t *testing.T) {
			d, f := beginnings[begun](t)
			d.end(nil)
			d.prompt, d.priorities = true, nil
			must(t, f.ensure())
			must(t, f.ensure())
			if !slices.Equal(d.priorities, []cloud.Priority{cloud.PriorityBegun, cloud.PriorityChange}) {
				t.Errorf("looks with the priorities %v", d.priorities)
			}
		})
	}
}

// The cloud says that the deletion has ended well, and shows the balancer all the same.
func TestRunningDeletionThatKeepsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, f := beginnings["deletion"](t)
		d.undead = 1
		d.end(nil)
		waits(t, f.delete(), problem.PollFirst)
		f.wrote("delete balancer")
		d.end(nil)
		must(t, f.delete())
		f.wrote()
	})
}

// A Service that gave its balancer up wants one again: what it then has is not what was deleted.
func TestRunningDeletionThenEnsure(t *testing.T) {
	for _, undead := range []int{0, 1} {
		for _, between := range []string{"ensure", "target update"} {
			synctest.Test(t, func(t *testing.T) {
				d, f := beginnings["deletion"](t)
				d.undead = undead
				d.end(nil)
				d.prompt = true
				if between == "target update" {
					_ = f.updateTargets()
				}
				must(t, f.ensure())
				f.only()
				f.driver.writes = nil
				f.goes()
				f.wrote("delete balancer")
			})
		}
	}
}

// What was read before the operations ended does not show what they did.
func TestRunningListFromBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, all := slowly(t, 5)
		t.Cleanup(func() { time.Sleep(time.Minute) }) // nobody asks for states any more
		f := all[4]
		f.nodes = append(f.nodes, node("d"))
		waits(t, f.ensure(), problem.PollFirst)
		ended := endOf(t, f.ensure())
		time.Sleep(900 * time.Millisecond)
		d.lists = 0
		for _, other := range all[:4] {
			must(t, other.ensure())
		}
		if d.lists == 0 {
			t.Error("no list was read while the operation went on")
		}
		<-ended
		must(t, f.ensure())
		if !slices.Equal(d.added, []cloud.InstanceID{"d"}) {
			t.Errorf("asked for %q, want d once", d.added)
		}
	})
}
