package loadbalancer

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// What is left of a balancer that is gone keeps the Service from being forgotten.
func TestRemainsAreDeleted(t *testing.T) {
	f := newFixture(t)
	f.driver.remains = true
	if _, exists, err := f.Get(t.Context(), leaving(f)); !exists || err != nil {
		t.Errorf("Get() = %t, %v", exists, err)
	}
	waits(t, f.Delete(t.Context(), f.svc), problem.PollFirst)
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
		f.age()
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

// TestDriversWithoutStampsAreToldTheIDAlone: that the balancer was there, and nothing else of it, which takes no memory.
func TestDriversWithoutStampsAreToldTheIDAlone(t *testing.T) {
	broken := errors.New("broken")
	failing := func(call string) func(*fixture) {
		return func(f *fixture) {
			f.svc.Annotations[keyAlgorithm.Name] = "random"
			f.driver.fail = func(c string, _ bool) error { return map[string]error{call: broken}[c] }
			fails(f.t, f.ensure(), "broken")
			f.driver.fail = nil
		}
	}
	id := &cloud.Observed{Found: true, ID: "lb-1"}
	descriptor := fakeDescriptor
	descriptor.Capabilities.VersionStamps = false
	for name, tt := range map[string]struct {
		act  func(*fixture)
		want *cloud.Observed
	}{
		"a run that changes nothing": {func(f *fixture) { f.settle() }, id},
		"a change that fails":        {failing("apply"), id},
		"a look that fails":          {failing("observe"), nil},
		"a comparison":               {func(f *fixture) { f.Compare(f.svc) }, nil},
		"another process":            {func(f *fixture) { f.start(run.Live, descriptor) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.start(run.Live, descriptor)
			f.settle()
			tt.act(f)
			f.driver.lasts = nil
			_ = f.ensure()
			if diff := cmp.Diff(tt.want, f.driver.lasts[0], cmp.AllowUnexported(cloud.Native{})); diff != "" {
				t.Errorf("the next look was told (-want +got):\n%s", diff)
			}
		})
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
		for _, wait := range []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second} {
			f.svc.Status.LoadBalancer = corev1.LoadBalancerStatus{}
			delete(f.svc.Annotations, keyID.Name)
			f.only().failed = "no host has room"
			fails(t, f.ensure(), "no host has room")
			time.Sleep(wait - time.Second)
			fails(t, f.ensure(), "no host has room")
			f.wrote()
			time.Sleep(time.Second)
			waits(t, f.ensure(), problem.PollFirst)
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
		"recorded": func(f *fixture) {
			f.age()
			delete(f.svc.Annotations, annotation.Creation.Name)
		},
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
