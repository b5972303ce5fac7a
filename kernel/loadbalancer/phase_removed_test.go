package loadbalancer

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Removed: the cloud has acknowledged that the balancer of a Service that gives it up is deleted, and nobody has looked since.
//
//	begins with                                                    test
//	a deletion among many that was answered without operations     TestManyDeletionsAreConfirmedByOneList
//	 one that is alone is looked after in the same run             TestDelete, TestOneDeletionTakesTwoLists
//	 one that the driver proves needs no look                      TestOneDeletionThatTheDriverProves
//	operations of a deletion that ended well                       TestManyDeletionsThatEndLater
//	 not: a deletion that failed                                   TestRemovedNeedsAnAnswer
//
//	ends with                              then                                           test
//	Delete                                 one list for many says that nothing is left;   TestManyDeletionsAreConfirmedByOneList,
//	                                       nobody doubts that                             TestRemovedIsBelieved
//	 and the balancer is there             it is deleted again                            TestDeletionIsConfirmedByALaterList
//	  and the Service keeps it by now      it is released                                 TestRemovedServiceKeepsIt
//	 and something else is left            that is deleted                                TestRemainsAreDeleted, TestDeletionDuringReplacement
//	 and the cloud cannot be listed        the cloud is asked about it alone              TestDeletionIsConfirmedWithoutLists
//	 and the cloud cannot be read          that is told; the next absence is doubted      TestRemovedLookFails
//	Ensure that makes a balancer           the next Delete deletes it                     TestConfirmationIsOfTheLastChange, TestOwnDeletionIsBelieved
//	Ensure that finds it there             the next deletions delete it                   TestRemovedThatIsThere
//	Ensure or UpdateTargets that writes    the next Delete deletes it                     TestRemovedThenAnotherWrite
//	Ensure whose creation fails            what it left is deleted at once                TestRemovedThenAFailedCreation
//	UpdateTargets that finds none          nothing: Delete confirms it                    TestRemovedTargetUpdate
//	a restart                              the absence is doubted                         TestRemovedRestart
//
//	meanwhile                              then                                           test
//	a plan is asked for                    it shows a creation, nothing else changes      TestRemovedForecast
//	the Service is left alone              nobody looks or writes                         TestRemovedServiceIsLeftAlone

// removed returns a Service whose balancer, which was made long ago, was deleted among others. The cloud keeps it that often.
func removed(t *testing.T, undead int) (*bulkLister, *fixture) {
	t.Helper()
	s, all := crowd(t, manyServices+1)
	time.Sleep(creation.Settling)
	deleteAll(t, all[1:])
	f := all[0]
	f.driver.undead = undead
	waits(t, f.delete(), confirmAfter)
	if f.there() != (undead > 0) {
		t.Fatalf("the balancer is there: %t", f.there())
	}
	s.writes, s.lists, s.observes = nil, 0, 0
	return s, f
}

// there reports whether the balancer of the Service exists.
func (f *fixture) there() bool { return f.driver.balancers[f.svc.Annotations[keyID.Name]] != nil }

// goes deletes until nothing is to be waited for.
func (f *fixture) goes() {
	f.t.Helper()
	for range 5 {
		err := f.delete()
		if err == nil {
			break
		}
		waits(f.t, err, problem.PollFirst)
		time.Sleep(problem.PollFirst)
	}
	if f.there() {
		f.t.Error("the Service was let go, and its balancer is there")
	}
}

func TestRemovedIsBelieved(t *testing.T) {
	for _, wait := range []time.Duration{0, confirmAfter, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			s, f := removed(t, 0)
			f.distrust = errors.New("another account")
			time.Sleep(wait)
			must(t, f.delete())
			if s.lists+s.observes != 1 {
				t.Errorf("after %v: %d lists, %d observations, want one look", wait, s.lists, s.observes)
			}
			f.wrote()
			f.said()
		})
	}
}

func TestRemovedThatIsThere(t *testing.T) {
	for name, between := range map[string]func(*fixture){
		"ensure":        func(f *fixture) { must(f.t, f.ensure()); f.wrote() },
		"target update": func(f *fixture) { must(f.t, f.updateTargets()); f.wrote() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, f := removed(t, 1)
				time.Sleep(bulkListAge)
				between(f)
				time.Sleep(bulkListAge)
				f.goes()
				f.wrote("delete balancer")
			})
		})
	}
}

// What was changed after the deletion was acknowledged is deleted at once, and not looked after as if it had been deleted.
func TestRemovedThenAnotherWrite(t *testing.T) {
	for name, run := range map[string]func(*fixture) error{"ensure": (*fixture).ensure, "target update": (*fixture).updateTargets} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, f := removed(t, 1)
				time.Sleep(bulkListAge)
				f.nodes = f.nodes[:2]
				must(t, run(f))
				f.wrote("delete target c")
				time.Sleep(bulkListAge)
				must(t, f.delete())
				f.wrote("delete balancer")
			})
		})
	}
}

func TestRemovedThenAFailedCreation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, f := removed(t, 0)
		f.driver.fail = func(call string, done bool) error {
			if call == "apply" && done {
				return errBroken
			}
			return nil
		}
		failsWith(t, f.ensure(), errBroken)
		f.wrote("create balancer")
		f.driver.fail = nil
		time.Sleep(bulkListAge)
		must(t, f.delete())
		f.wrote("delete balancer")
		if f.there() {
			t.Error("the Service was let go, and its balancer is there")
		}
	})
}

func TestRemovedTargetUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, f := removed(t, 0)
		if err := f.updateTargets(); !errors.Is(err, ErrNoBalancer) {
			t.Errorf("error %v", err)
		}
		f.distrust = errors.New("another account")
		time.Sleep(confirmAfter)
		must(t, f.delete())
		f.wrote()
	})
}

func TestRemovedForecast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, f := removed(t, 0)
		f.forecasts("create balancer")
		f.distrust = errors.New("another account")
		time.Sleep(confirmAfter)
		must(t, f.delete())
		f.wrote()
	})
}

func TestRemovedServiceIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := removed(t, 1)
		f.svc.Annotations[annotation.Disown.Name] = "true"
		for _, run := range runs {
			must(t, run(f))
		}
		f.looked(0)
		f.wrote()
		if s.lists != 0 {
			t.Errorf("%d lists", s.lists)
		}
	})
}

func TestRemovedServiceKeepsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, f := removed(t, 1)
		f.svc.Annotations[annotation.Retain.Name] = "true"
		time.Sleep(confirmAfter)
		waits(t, f.delete(), problem.PollFirst)
		time.Sleep(bulkListAge)
		must(t, f.delete())
		f.wrote("update balancer marks")
		f.said("LoadBalancerRetained: ")
		if !f.there() {
			t.Error("the balancer is gone")
		}
	})
}

// A look that fails proves nothing, nor does what the next one does not show: it may be one with other credentials.
func TestRemovedLookFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, f := removed(t, 0)
		s.broken = true
		f.driver.fail = func(string, bool) error { return errBroken }
		time.Sleep(confirmAfter)
		failsWith(t, f.delete(), errBroken)
		f.said("CloudFailure: ")
		s.broken, f.driver.fail = false, nil
		f.distrust = errors.New("another account")
		time.Sleep(bulkListAge)
		fails(t, f.delete(), "another account")
		f.distrust = nil
		time.Sleep(bulkListAge)
		f.goes()
		f.wrote()
	})
}

func TestRemovedRestart(t *testing.T) {
	for _, undead := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			_, f := removed(t, undead)
			f.restart()
			f.distrust = errors.New("another account")
			if undead == 0 {
				fails(t, f.delete(), "another account")
				f.distrust = nil
				time.Sleep(problem.PollFirst)
				f.goes()
				f.wrote()
				return
			}
			must(t, f.delete())
			f.wrote("delete balancer")
		})
	}
}

// A deletion that the cloud has not acknowledged is asked for again, and told each time that it fails.
func TestRemovedNeedsAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, all := crowd(t, manyServices+1)
		deleteAll(t, all[1:])
		f := all[0]
		f.driver.fail = func(call string, done bool) error {
			if call == "apply" && !done {
				return errBroken
			}
			return nil
		}
		s.writes = nil
		for range 2 {
			failsWith(t, f.delete(), errBroken)
			f.said("CloudFailure: ")
			time.Sleep(bulkListAge)
		}
		f.driver.fail = nil
		f.goes()
		f.wrote("delete balancer")
	})
}
