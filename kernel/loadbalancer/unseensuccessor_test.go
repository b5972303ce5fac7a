package loadbalancer

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
)

// replacing is a fixture in which lb-1 serves and is recorded, and lb-2 was just made to take its place.
func replacing(t *testing.T, wrap func(*fakeDriver) cloud.Account) *fixture {
	f := withDriver(t, wrap)
	f.settle()
	f.internal()
	for range 5 {
		if f.driver.balancers["lb-2"] != nil {
			break
		}
		f.driver.busy = 1
		if err := f.ensure(); !isPending(err) {
			t.Fatalf("ensure: %v, want a new balancer that is being made", err)
		}
	}
	if f.driver.balancers["lb-2"] == nil {
		t.Fatalf("no second balancer was made: %v", f.driver.balancers)
	}
	f.driver.writes, f.driver.busy = nil, 0
	return f
}

// The cloud has answered that it made the new balancer, and does not show it: no other one is made, and the replacement is not over,
// also where it is given up.
func TestSuccessorThatIsNotShownIsWaitedFor(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*fixture)
		kept   string
	}{
		"it is wanted":           {func(*fixture) {}, "lb-2"},
		"it is not wanted again": {func(f *fixture) { delete(f.svc.Annotations, keyInternal.Name) }, "lb-1"},
	} {
		for _, restarts := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restarts %t", name, restarts), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := replacing(t, twins)
					made := f.driver.balancers["lb-2"]
					delete(f.driver.balancers, "lb-2")
					test.change(f)
					if err := f.tries(creation.Settling-time.Minute, restarts); !isPending(err) {
						t.Fatalf("%v, want to wait for lb-2", err)
					}
					f.wrote()
					f.driver.balancers["lb-2"] = made
					f.settle()
					if f.only(); f.driver.balancers[test.kept] == nil {
						t.Errorf("%v are left, want %s", slices.Collect(maps.Keys(f.driver.balancers)), test.kept)
					}
				})
			})
		}
	}
}

// Both are not shown, whichever of them is recorded: neither is another one made, nor is the Service let go.
func TestNothingIsShownDuringAReplacement(t *testing.T) {
	alone := func(d *fakeDriver) cloud.Account { return d }
	for name, begun := range map[string]func(*testing.T) *fixture{
		"the old one is recorded": func(t *testing.T) *fixture { return replacing(t, twins) },
		"the new one is recorded": succeeded,
		"the old one was deleted first": func(t *testing.T) *fixture {
			f := replacing(t, alone)
			f.svc.Annotations[keyID.Name] = "lb-1" // the write of the new id has failed
			return f
		},
	} {
		for _, leaves := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, the Service leaves: %t", name, leaves), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := begun(t)
					f.driver.writes = nil
					see := f.blind()
					d := creation.Settling - time.Minute
					if leaves {
						leaving(f)
						d = creation.SettlingForDeletion - time.Second
					}
					if err := f.tries(d, false); !isPending(err) {
						t.Fatalf("%v, want to wait for lb-2", err)
					}
					f.wrote()
					if see(); !leaves {
						f.settle()
						f.only()
					} else if err := f.tries(time.Minute, false); err != nil || len(f.driver.balancers) > 0 {
						t.Errorf("%v, left %v", err, f.driver.balancers)
					}
				})
			})
		}
	}
}

// The old balancer is gone, and a driver shows the new one only where it is asked what there is beside that: the new one serves at
// once, or goes with the Service, unless another Service uses it.
func TestSuccessorThatIsShownBesideAlone(t *testing.T) {
	for name, test := range map[string]struct {
		leaves bool
		others []*corev1.Service
	}{
		"the Service stays":                       {},
		"the Service leaves":                      {leaves: true},
		"the Service leaves, another one uses it": {leaves: true, others: []*corev1.Service{victim("bank", "192.0.2.2")}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := replacing(t, twins)
				delete(f.driver.balancers, "lb-1")
				f.driver.hidden, f.others = true, test.others
				if began := time.Now(); test.leaves {
					leaving(f)
					if err := f.tries(10*time.Second, false); err != nil || len(f.driver.balancers) != len(test.others) || time.Since(began) > 5*time.Second {
						t.Errorf("%v after %v, left %v", err, time.Since(began), f.driver.balancers)
					}
					return
				}
				f.settle()
				f.wrote()
				if f.only(); f.serving() != cloud.ScopeInternal || f.svc.Annotations[keyID.Name] != "lb-2" {
					t.Errorf("recorded %v, status %v", f.svc.Annotations, f.svc.Status)
				}
			})
		})
	}
}
