package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestFailures(t *testing.T) {
	tests := []struct {
		err   error
		after time.Duration // 0 for a plain error
		class cloud.Class
	}{
		{errThrottled, 42 * time.Second, cloud.FailureThrottled},
		{errConflict, 3 * time.Second, cloud.FailureConflict},
		{errBroken, 0, cloud.FailureUnknown},
	}
	for _, test := range tests {
		for _, broken := range []string{"observe", "apply"} {
			t.Run(fmt.Sprint(broken, " ", test.err), func(t *testing.T) {
				f := newFixture(t)
				f.driver.fail = func(call string, _ bool) error {
					if call == broken {
						return test.err
					}
					return nil
				}
				err := f.ensure()
				if !errors.Is(err, test.err) || !cloud.IsClass(err, test.class) {
					t.Errorf("error %v of class %s", err, cloud.FailureOf(err).Class)
				}
				if test.after > 0 {
					waits(t, err, test.after)
				}
				f.said("CloudFailure: " + string(test.class) + ": ")
				f.driver.fail = nil
				f.settle()
				f.wrote("create balancer")
			})
		}
	}
}

// Uncertain existence is an error: the framework drops the finalizer of a Service whose
// balancer is said not to exist.
func TestUncertainExistence(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.driver.fail = func(string, bool) error { return errBroken }
	if _, exists, err := f.Get(t.Context(), f.svc); err == nil {
		t.Errorf("Get() = %v without error", exists)
	}
	fails(t, f.Delete(t.Context(), f.svc), "broken")
	fails(t, f.UpdateTargets(t.Context(), f.svc, nil), "broken")
	if p, err := f.plan(); err == nil || !p.Empty() {
		t.Errorf("Plan() = %v, %v", p, err)
	}
}

// With the credentials of another account every balancer seems gone. Believing that would drop
// the finalizer, or create a second balancer over there.
func TestAbsenceNeedsTrust(t *testing.T) {
	f := newFixture(t)
	f.distrust = errors.New("another account")
	f.settle() // nothing was there before: nothing to be asked for
	f.wrote("create balancer")
	f.age()
	ours := f.driver.balancers
	f.driver.balancers = nil
	for _, forgetful := range []bool{false, true} {
		if forgetful {
			f.restart()
		}
		if _, exists, err := f.Get(t.Context(), f.svc); err == nil {
			t.Errorf("Get() = %v without error", exists)
		}
		fails(t, f.Delete(t.Context(), f.svc), "another account")
		fails(t, f.ensure(), "another account")
	}
	f.wrote()
	f.driver.balancers = ours
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Fatal(err)
	}
	f.wrote("delete balancer")
	f.distrust = nil
	if _, _, err := f.Get(t.Context(), f.svc); err == nil {
		t.Error("the credentials may have become the right ones after the reading")
	}
	if _, exists, err := f.Get(t.Context(), f.svc); exists || err != nil {
		t.Errorf("Get() = %v, %v", exists, err)
	}
}

func TestLookupFailureKeepsTargets(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.machines.unread = map[cloud.InstanceID]bool{"b": true, "e": true}
	f.nodes = []*corev1.Node{node("b"), node("d"), node("e")} // a and c are gone
	fails(t, f.ensure(), "reading the machines behind 3 nodes")
	f.wrote("create target d; delete target a; delete target c")
	f.said("CloudFailure")
	f.machines.unread = nil
	f.settle()
	f.wrote("create target e")
}

func TestLookupFailurePostponesCreation(t *testing.T) {
	f := newFixture(t)
	f.machines.unread = map[cloud.InstanceID]bool{"b": true}
	fails(t, f.ensure(), "reading the machines")
	f.wrote()
	f.machines.unread = nil
	f.settle()
	f.wrote("create balancer")
}

// One not-found is no reason to cut off what serves: the Node goes first.
func TestMissingMachineKeepsTarget(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.machines.missing = map[cloud.InstanceID]bool{"a": true, "d": true}
	f.nodes = append(f.nodes, node("d"))
	f.settle()
	f.wrote()
	f.said("TargetSkipped: d: the cloud has no such machine")
}

// Rule: crash at any call, run again: same end state, nothing duplicated, nothing leaked.
func TestCrashAtAnyCall(t *testing.T) {
	errCrash := errors.New("crash")
	stories := map[string]func(*fixture){
		"create": func(f *fixture) {},
		"change": func(f *fixture) {
			f.svc.Annotations[keyAlgorithm.Name] = "random"
			f.svc.Spec.Ports[0].Port = 8080
			f.nodes = append(f.nodes[1:], node("d"))
		},
		"replace": func(f *fixture) {
			f.svc.Annotations[keyInternal.Name] = "true"
			f.svc.Annotations[annotation.AllowReplacement.Name] = "true"
		},
	}
	for name, change := range stories {
		for _, silent := range []bool{false, true} {
			for crashAt := range 12 {
				synctest.Test(t, func(t *testing.T) {
					calls := 0
					f := newFixture(t)
					f.driver.silent, f.driver.busy, f.driver.slow = silent, 2, 2
					if name != "create" {
						f.settle()
					}
					change(f)
					f.driver.fail = func(string, bool) error {
						if calls++; calls == crashAt+1 {
							return errCrash
						}
						return nil
					}
					for {
						err := f.ensure()
						if err == nil {
							break
						}
						if errors.Is(err, errCrash) {
							f.restart()
						}
						time.Sleep(time.Second)
					}
					want := newFixture(t)
					change(want)
					want.settle()
					if diff := cmp.Diff(want.only().Balancer, f.only().Balancer); diff != "" {
						t.Errorf("%s, silent %v, crash at call %d (-want +got):\n%s", name, silent, crashAt, diff)
					}
					f.driver.writes, f.driver.fail = nil, nil
					f.settle()
					f.wrote()
				})
			}
		}
	}
}

// A run that saw the old nodes must not undo the change of one that saw the new ones while
// it worked: runs for one Service wait for each other, those of others do not.
func TestRunsOfOneServiceWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		p, _, err := f.begin(t.Context(), f.svc, nil)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- f.UpdateTargets(t.Context(), f.svc, nil) }()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		fails(t, f.Delete(ctx, f.svc), "waiting for another run")
		other := service(func(svc *corev1.Service) { svc.UID, svc.Name = "other", "other" })
		if _, _, err := f.Get(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		select {
		case err := <-done:
			t.Fatalf("the second run did not wait: %v", err)
		default:
		}
		p.end()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	})
}

func TestConcurrentRuns(t *testing.T) {
	f := newFixture(t)
	var wg sync.WaitGroup
	for i := range 30 {
		svc := service(func(svc *corev1.Service) {
			svc.UID, svc.Annotations[keyName.Name] = "u-1", "one"
			if i%2 == 0 {
				svc.UID, svc.Annotations[keyName.Name] = "u-2", "two"
			}
		})
		wg.Go(func() {
			if _, err := f.Ensure(context.Background(), svc, f.nodes); err != nil {
				t.Error(err)
			}
			if i%3 == 0 {
				if err := f.UpdateTargets(context.Background(), svc, f.nodes); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	f.wrote("create balancer", "create balancer")
}

// A balancer that was made before the change failed is the Service's, also where the cloud does not show it in lists yet
// and has no place for an ownership tag.
func TestMadeBeforeTheFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.driver.hidden = true
		f.driver.keep = func(b *cloud.Balancer) { b.OwnershipTags = nil }
		f.driver.fail = func(call string, done bool) error {
			if call == "apply" && done {
				return errBroken
			}
			return nil
		}
		if err := f.ensure(); !errors.Is(err, errBroken) {
			t.Fatalf("error %v", err)
		}
		if got := f.svc.Annotations[keyID.Name]; got != "lb-1" {
			t.Errorf("the Service records balancer %q, want the one that was made", got)
		}
		f.driver.fail = nil
		delete(f.svc.Annotations, keyID.Name)
		f.settle()
		f.only()
	})
}
