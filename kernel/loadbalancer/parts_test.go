package loadbalancer

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// A target of which only the address is known may be that of a machine that can't be read.
func TestUnknownTargetsStayWhileMachinesAreDoubtful(t *testing.T) {
	known := cloud.Target{InstanceID: "a", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.1"}}}
	observed := cloud.Observed{Balancer: cloud.Balancer{Targets: []cloud.InstanceID{cloud.UnknownInstance("10.0.0.1"), cloud.UnknownInstance("10.0.0.9")}}}
	attached := observed.Resolve([]cloud.Target{known}).Balancer.Targets
	if diff := cmp.Diff([]cloud.InstanceID{cloud.UnknownInstance("10.0.0.9"), "a"}, attached); diff != "" {
		t.Fatalf("targets by address (-want +got):\n%s", diff)
	}
	for doubts, want := range map[int][]cloud.InstanceID{0: {"a"}, 1: {cloud.UnknownInstance("10.0.0.9"), "a"}} {
		c := candidates{targets: []cloud.Target{known}, unknown: make([]unknownTarget, doubts)}
		got, _ := targetsOf(cloud.Balancer{}, c, attached, &fakeDriver{}, 0)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d doubtful machines: targets (-want +got):\n%s", doubts, diff)
		}
	}
}

// What is left of a balancer that is gone keeps the Service from being forgotten.
func TestRemainsAreDeleted(t *testing.T) {
	f := newFixture(t)
	f.driver.remains = true
	if _, exists, err := f.Get(t.Context(), f.svc); !exists || err != nil {
		t.Errorf("Get() = %t, %v", exists, err)
	}
	waits(t, f.Delete(t.Context(), f.svc), pollFirst)
	f.wrote("delete balancer")
	f.driver.remains = false
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Error(err)
	}
	f.wrote()
}

// What the driver could not remove together with the balancer, such as a tag that the credentials may
// not delete, does not keep the Service.
func TestRemainsOfADeletedBalancerDoNotKeepTheService(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.driver.optional = true
	for _, process := range []string{"this one", "the next one"} {
		if err := f.Delete(t.Context(), f.svc); err != nil {
			t.Errorf("%s: %v", process, err)
		}
		f.restart()
	}
}

func TestRemainsOfARetainedBalancerStay(t *testing.T) {
	f := newFixture(t, annotated(annotation.Retain.Name, "true"))
	f.driver.remains = true
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Error(err)
	}
	f.wrote()
}

func TestConfiguredDefaults(t *testing.T) {
	f := newFixture(t)
	f.driver.defaults = map[string]string{keyAlgorithm.Name: "random"}
	f.restart()
	f.settle()
	if got := f.only().ProviderFields["algorithm"]; got != "random" {
		t.Errorf("algorithm %q, want what is configured", got)
	}
	f.svc.Annotations[keyAlgorithm.Name] = "fair"
	f.settle()
	if got := f.only().ProviderFields["algorithm"]; got != "fair" {
		t.Errorf("algorithm %q, want what the Service says", got)
	}
}

func TestDriversAreToldWhatTheySawLast(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.settle()
	f.driver.lasts = nil
	f.settle()
	for i, last := range f.driver.lasts {
		if last == nil || last.ID != "lb-1" {
			t.Errorf("observation %d was told of %v", i, last)
		}
	}
	f.restart()
	f.driver.lasts = nil
	f.settle()
	if f.driver.lasts[0] != nil {
		t.Errorf("a new process was told of %v", f.driver.lasts[0])
	}
}

// A balancer that fails before it ever served is made anew, later each time.
func TestStillbornBalancers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		if err := f.ensure(); err != nil {
			t.Fatal(err)
		}
		f.wrote("create balancer")
		for _, wait := range []time.Duration{recreateFirst, 2 * recreateFirst, 4 * recreateFirst} {
			f.svc.Status.LoadBalancer = corev1.LoadBalancerStatus{}
			delete(f.svc.Annotations, keyID.Name)
			f.only().failed = "no host has room"
			fails(t, f.ensure(), "no host has room")
			time.Sleep(wait - time.Second)
			fails(t, f.ensure(), "no host has room")
			f.wrote()
			time.Sleep(time.Second)
			waits(t, f.ensure(), pollFirst)
			f.wrote("delete balancer")
			if err := f.ensure(); err != nil {
				t.Fatal(err)
			}
			f.wrote("create balancer")
		}
		f.settle()
		f.only().failed = "its host is gone"
		time.Sleep(time.Hour)
		fails(t, f.ensure(), "its host is gone")
		f.wrote()
	})
}

// A balancer that was recorded or adopted has served somebody.
func TestFailedBalancersOfOthersStay(t *testing.T) {
	for name, edit := range map[string]func(*fixture){
		"recorded": func(f *fixture) {},
		"adopted": func(f *fixture) {
			delete(f.svc.Annotations, keyID.Name)
			f.svc.Annotations[annotation.Adopt.Name] = "lb-1"
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture(t)
			f.settle()
			f.wrote("create balancer")
			f.svc.Status.LoadBalancer = corev1.LoadBalancerStatus{}
			f.only().failed = "its host is gone"
			edit(f)
			for range 3 {
				fails(t, f.ensure(), "its host is gone")
				time.Sleep(time.Hour)
			}
			if len(f.driver.writes) != 0 {
				t.Errorf("%s: %q", name, f.driver.writes)
			}
		})
	}
}

// One wrong word of the configuration can hide the addresses of all machines. That cuts nothing
// off; machines that are not named any more still go.
func TestTargetsStayWhenNoMachineWillDo(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.machines.bare = map[cloud.InstanceID]bool{"a": true, "b": true, "c": true}
	f.settle()
	f.wrote()
	f.machines.bare = map[cloud.InstanceID]bool{"a": true}
	f.settle()
	f.wrote("delete target a")
	f.nodes = nil
	f.settle()
	f.wrote("delete target b; delete target c")
}
