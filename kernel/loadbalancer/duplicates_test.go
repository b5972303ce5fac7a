package loadbalancer

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
)

// ownership tags are those of the fixture's Service.
var ownershipTags = []string{"cluster=prod", "uid=0123-4567"}

// Two processes work at once: both look before either has made a balancer.
func TestTwoProcessesLeaveOneBalancer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := newFixture(t), newFixture(t)
		two.driver = one.driver
		two.restart()
		one.driver.busy = 1
		waits(t, one.ensure(), 7*time.Second)
		made := one.driver.balancers
		one.driver.balancers = nil // two looked before one had made it
		waits(t, two.ensure(), 7*time.Second)
		for id, s := range made {
			two.driver.balancers[id] = s
		}
		time.Sleep(7 * time.Second)
		one.settle()
		two.settle()
		if a, b := one.svc.Annotations[keyID.Name], two.svc.Annotations[keyID.Name]; a != b || a != "lb-1" {
			t.Fatalf("the processes recorded %q and %q, want lb-1", a, b)
		}
		one.others = []*corev1.Service{one.svc}
		for range 3 {
			time.Sleep(state.DuplicateWait)
			one.settle()
			two.settle()
		}
		if one.only(); one.driver.balancers["lb-1"] == nil {
			t.Error("the recorded one was deleted")
		}
	})
}

func TestDuplicates(t *testing.T) {
	tests := []struct {
		name          string
		ownershipTags []string
		edit          func(*fixture)
		deleted       bool
		event         string
	}{
		{name: "proved", ownershipTags: ownershipTags, edit: func(*fixture) {}, deleted: true, event: "lb-2 was deleted: the Service has lb-1"},
		{name: "another cluster id", ownershipTags: []string{"cluster=dev", "uid=0123-4567"}, edit: func(*fixture) {}, event: "lb-2 is left: its ownership tags do not prove"},
		{name: "recorded by another Service", ownershipTags: ownershipTags, edit: func(f *fixture) {
			other := victim("bank")
			other.Annotations[keyID.Name] = "lb-2"
			f.others = []*corev1.Service{other}
		}, event: "lb-2 is left: a Service uses it"},
		{name: "published by another Service", ownershipTags: ownershipTags, edit: func(f *fixture) {
			f.others = []*corev1.Service{victim("bank", "192.0.2.2")}
		}, event: "lb-2 is left: a Service uses it"},
		{name: "published by this one too", ownershipTags: ownershipTags, edit: func(f *fixture) {
			f.svc.Status.LoadBalancer.Ingress = append(f.svc.Status.LoadBalancer.Ingress, corev1.LoadBalancerIngress{IP: "192.0.2.2"})
		}, event: "lb-2 is left: a Service uses it"},
		{name: "the credentials see another account", ownershipTags: ownershipTags, edit: func(f *fixture) { f.distrust = errBroken }, event: "lb-2 is left: broken"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				f.settle()
				f.wrote("create balancer")
				f.place("lb-2", "web", test.ownershipTags...)
				p, ctx, err := f.begin(t.Context(), f.svc, nil)
				if err != nil {
					t.Fatal(err)
				}
				kept := f.driver.observed("lb-1")
				if again := p.second.prune(ctx, kept, []string{"lb-2"}); again != state.DuplicateWait {
					t.Errorf("it is looked at again in %v", again)
				}
				f.said("LoadBalancerDuplicate: lb-2 carries this Service's ownership tags beside lb-1, which is kept")
				time.Sleep(state.DuplicateWait)
				test.edit(f)
				p.second.prune(ctx, kept, nil)
				p.end()
				f.said(test.event)
				if gone := f.driver.balancers["lb-2"] == nil; gone != test.deleted || f.driver.balancers["lb-1"] == nil {
					t.Errorf("lb-2 gone %t, want %t", gone, test.deleted)
				}
			})
		})
	}
}

// A Service whose status shows a name of its user's, and no address, is told where its balancer is.
func TestDuplicatesOfAServiceWithAHostName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, annotated(annotation.Hostname.Name, "shop.example.com"))
		f.settle()
		f.place("lb-2", "web", ownershipTags...)
		f.pruned("lb-2")
		if f.only(); f.driver.balancers["lb-1"] == nil {
			t.Error("the recorded one was deleted")
		}
	})
}

// One of two may be the one that its user leaves behind, or wants to have.
func TestDuplicatesOfWhatIsKept(t *testing.T) {
	for name, edit := range map[string]func(*corev1.Service){
		"retain":           annotated(annotation.Retain.Name, "true"),
		"retain, mistyped": annotated(annotation.Retain.Name, "yes"),
		"adopt":            annotated(annotation.Adopt.Name, "lb-1"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				f.settle()
				edit(f.svc)
				f.place("lb-2", "web", ownershipTags...)
				f.events.take()
				f.pruned("lb-2")
				if len(f.driver.balancers) != 2 {
					t.Errorf("balancers %v", f.driver.balancers)
				}
				f.said("lb-2 carries this Service's ownership tags beside lb-1, and is left", "lb-2 carries this Service's ownership tags beside lb-1, and is left")
			})
		})
	}
}

// pruned has the Service's second balancer looked at now, and when it has been there long enough.
func (f *fixture) pruned(id string) {
	f.t.Helper()
	for range 2 {
		p, ctx, err := f.begin(f.t.Context(), f.svc, nil)
		if err != nil {
			f.t.Fatal(err)
		}
		p.second.prune(ctx, f.driver.observed("lb-1"), []string{id})
		p.end()
		time.Sleep(state.DuplicateWait)
	}
}

// Nothing is deleted while it is not settled which balancer the Service has.
func TestDuplicatesWaitForTheRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.settle()
		f.place("lb-2", "web", ownershipTags...)
		kept := f.driver.observed("lb-1")
		for range 3 {
			svc := f.svc.DeepCopy()
			delete(svc.Annotations, keyID.Name)
			p, ctx, err := f.begin(t.Context(), svc, nil)
			if err != nil {
				t.Fatal(err)
			}
			if again := p.second.prune(ctx, kept, []string{"lb-2"}); again != state.DuplicateWait {
				t.Errorf("it is looked at again in %v", again)
			}
			p.end()
			time.Sleep(2 * state.DuplicateWait)
		}
		if ids := len(f.driver.balancers); ids != 2 {
			t.Errorf("%d balancers", ids)
		}
	})
}

// duplicatesOf are the balancers of the fake cloud with this ownership tag, but one.
func (d *fakeDriver) duplicatesOf(spec cloud.Spec, but string) []string {
	var ids []string
	for id, s := range d.balancers {
		if id != but && slices.Contains(s.OwnershipTags, "uid="+spec.Owner.UID) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
