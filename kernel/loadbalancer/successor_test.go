package loadbalancer

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
)

// succeeded is a fixture in which lb-2 serves in the place of lb-1, which is still there.
func succeeded(t *testing.T) *fixture {
	f := withDriver(t, twins)
	f.settle()
	f.internal()
	for range 10 {
		if f.svc.Annotations[keyID.Name] == "lb-2" && f.svc.Status.LoadBalancer.Ingress[0].IP == "192.0.2.2" {
			break
		}
		if err := f.ensure(); err != nil && !isPending(err) {
			t.Fatal(err)
		}
	}
	if len(f.driver.balancers) != 2 || f.svc.Annotations[keyID.Name] != "lb-2" {
		t.Fatalf("recorded %q, balancers %v", f.svc.Annotations[keyID.Name], f.driver.balancers)
	}
	f.events.take()
	return f
}

func isPending(err error) bool {
	_, ok := errors.AsType[*Pending](err)
	return ok
}

// The balancer that does not serve any more goes on the same proofs as a duplicate.
func TestProofsBeforeTheOldOneGoes(t *testing.T) {
	other := func(edit func(*corev1.Service)) func(*fixture) {
		return func(f *fixture) {
			svc := victim("bank")
			edit(svc)
			f.others = []*corev1.Service{svc}
		}
	}
	for name, test := range map[string]struct {
		edit  func(*fixture)
		stays bool
		event string
	}{
		"proved":                     {edit: func(*fixture) {}},
		"another cluster's mark":     {edit: func(f *fixture) { f.driver.balancers["lb-1"].OwnershipTags[0] = "cluster=dev" }, stays: true},
		"another Service's mark":     {edit: func(f *fixture) { f.driver.balancers["lb-1"].OwnershipTags[1] = "uid=9" }, stays: true},
		"recorded by another":        {edit: other(func(svc *corev1.Service) { svc.Annotations[keyID.Name] = "lb-1" }), stays: true, event: "lb-1 is left: a Service uses it"},
		"published by another":       {edit: other(func(svc *corev1.Service) { *svc = *victim("bank", "192.0.2.1") }), stays: true, event: "lb-1 is left: a Service uses it"},
		"credentials of another one": {edit: func(f *fixture) { f.distrust = errBroken }, stays: true, event: "broken"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := succeeded(t)
				test.edit(f)
				for range 5 {
					err := f.ensure()
					if failed := f.distrust != nil; failed != (err != nil) {
						t.Fatalf("ensure: %v", err)
					}
					time.Sleep(state.DuplicateWait)
				}
				if stays := f.driver.balancers["lb-1"] != nil; stays != test.stays || f.driver.balancers["lb-2"] == nil {
					t.Errorf("lb-1 stays %t, want %t", stays, test.stays)
				}
				if said := f.events.take(); test.event == "" && len(said) > 0 || test.event != "" && (len(said) == 0 || !strings.Contains(said[0], test.event)) {
					t.Errorf("events %q, want %q", said, test.event)
				}
			})
		})
	}
}

// A balancer that the annotation does not name as the one to be replaced may have been made just now
// by another process.
func TestAThirdBalancerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := succeeded(t)
		f.driver.balancers["lb-3"] = f.driver.balancers["lb-1"]
		delete(f.driver.balancers, "lb-1")
		for begin := time.Now(); time.Since(begin) < state.DuplicateWait; time.Sleep(max(f.again, time.Second)) {
			if err := f.ensure(); err != nil {
				t.Fatal(err)
			}
			if f.driver.balancers["lb-3"] == nil {
				t.Fatalf("deleted after %v", time.Since(begin))
			}
		}
		f.settle()
		if f.only().Scope != cloud.ScopeInternal {
			t.Errorf("balancers %v", f.driver.balancers)
		}
	})
}

// The new balancer cannot take the place of the one that serves: it goes with the same proofs.
func TestProofsBeforeTheNewOneGoes(t *testing.T) {
	for name, test := range map[string]struct {
		edit  func(*fixture)
		stays bool
		fails string
	}{
		"proved":                     {edit: func(*fixture) {}},
		"published by another":       {edit: func(f *fixture) { f.others = []*corev1.Service{victim("bank", "192.0.2.2")} }, stays: true, fails: "a Service uses it"},
		"credentials of another one": {edit: func(f *fixture) { f.distrust = errBroken }, stays: true, fails: "broken"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := withDriver(t, twins)
				f.settle()
				f.internal()
				f.driver.busy = 100
				for range 3 {
					if err := f.ensure(); !isPending(err) {
						t.Fatal(err)
					}
				}
				next := f.driver.balancers["lb-2"]
				next.busy, next.failed = 0, "no room"
				f.driver.busy = 0
				test.edit(f)
				for begin := time.Now(); time.Since(begin) < 2*state.DuplicateWait; time.Sleep(5 * time.Second) {
					err, waited := f.ensure(), time.Since(begin) >= state.DuplicateWait
					f.serving()
					switch {
					case f.driver.balancers["lb-2"] == nil && !waited:
						t.Fatalf("deleted after %v", time.Since(begin))
					case test.fails != "" && waited:
						fails(t, err, test.fails)
					case err != nil && !isPending(err):
						t.Fatalf("ensure after %v: %v", time.Since(begin), err)
					}
				}
				if stays := f.driver.balancers["lb-2"] != nil; stays != test.stays {
					t.Errorf("lb-2 stays %t, want %t: %v", stays, test.stays, f.driver.balancers)
				}
			})
		})
	}
}

// A new balancer that fails each time is made anew less and less often.
func TestFailingSuccessorsAreMadeLessAndLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := withDriver(t, twins)
		f.settle()
		f.internal()
		f.driver.writes = nil
		for begin := time.Now(); time.Since(begin) < time.Hour; {
			err := f.ensure()
			for id, b := range f.driver.balancers {
				if id != "lb-1" {
					b.failed = "no room"
				}
			}
			pending, ok := errors.AsType[*Pending](err)
			if !ok {
				t.Fatalf("ensure: %v", err)
			}
			time.Sleep(pending.After)
		}
		made := 0
		for _, w := range f.driver.writes {
			if strings.HasPrefix(w, "create balancer") {
				made++
			}
		}
		if made < 5 || made > 20 {
			t.Errorf("%d balancers were made in an hour", made)
		}
		if f.driver.balancers["lb-1"] == nil || f.serving() != cloud.ScopeExternal {
			t.Errorf("balancers %v", f.driver.balancers)
		}
	})
}

// A driver that finds a balancer beside another one only when it is asked for it: a Service that goes in
// the middle leaves neither, wherever its process was.
func TestDeletionDuringReplacementFindsBoth(t *testing.T) {
	for name, before := range map[string]func(*fixture){
		"the new one serves":       func(*fixture) {},
		"the old one serves":       func(f *fixture) { f.svc.Annotations[keyID.Name] = "lb-1" },
		"the recorded one is gone": func(f *fixture) { delete(f.driver.balancers, "lb-2") },
	} {
		t.Run(name, func(t *testing.T) {
			f := succeeded(t)
			before(f)
			f.age()
			f.restart()
			f.driver.hidden = true
			for range 5 {
				if f.Delete(t.Context(), f.svc) == nil {
					break
				}
			}
			if len(f.driver.balancers) > 0 {
				t.Errorf("left: %v", f.driver.balancers)
			}
		})
	}
}

// A Service that keeps its balancer and goes in the middle of a replacement leaves what served, without
// our ownership tags. A new balancer that never served goes.
func TestRetainDuringReplacement(t *testing.T) {
	serves := func(f *fixture, id string) {
		f.svc.Annotations[keyID.Name] = id
		f.svc.Status.LoadBalancer.Ingress[0].IP = "192.0.2." + strings.TrimPrefix(id, "lb-")
	}
	for name, test := range map[string]struct {
		before func(*fixture)
		left   []string
	}{
		"the new one serves":                     {func(*fixture) {}, []string{"lb-1", "lb-2"}},
		"the old one serves":                     {func(f *fixture) { serves(f, "lb-1") }, []string{"lb-1"}},
		"the new one is recorded only":           {func(f *fixture) { serves(f, "lb-1"); f.svc.Annotations[keyID.Name] = "lb-2" }, []string{"lb-1", "lb-2"}},
		"the new one is gone":                    {func(f *fixture) { delete(f.driver.balancers, "lb-2") }, []string{"lb-1"}},
		"the old one is gone, the new one waits": {func(f *fixture) { serves(f, "lb-1"); delete(f.driver.balancers, "lb-1") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := succeeded(t)
			f.svc.Annotations[annotation.Retain.Name] = "true"
			test.before(f)
			f.age()
			f.restart()
			f.driver.hidden = true
			err := f.Delete(t.Context(), f.svc)
			for range 5 {
				if err == nil {
					break
				}
				err = f.Delete(t.Context(), f.svc)
			}
			left := slices.Sorted(maps.Keys(f.driver.balancers))
			if err != nil || !slices.Equal(left, test.left) {
				t.Errorf("left %v, want %v: %v", left, test.left, err)
			}
			for _, id := range left {
				if b := f.driver.balancers[id]; len(b.OwnershipTags) > 0 {
					t.Errorf("%s has the marks %v", id, b.OwnershipTags)
				}
			}
		})
	}
}

// A Service that goes leaves a new balancer that another Service uses.
func TestDeletionLeavesWhatAnotherServiceUses(t *testing.T) {
	f := succeeded(t)
	f.others = []*corev1.Service{victim("bank", "192.0.2.1")}
	f.restart()
	f.driver.hidden = true // a driver that finds a balancer beside another one only when it is asked for it
	for range 5 {
		if f.Delete(t.Context(), f.svc) == nil {
			break
		}
	}
	if f.driver.balancers["lb-1"] == nil || f.driver.balancers["lb-2"] != nil {
		t.Errorf("balancers %v", f.driver.balancers)
	}
	f.said("lb-1 is left: a Service uses it")
}
