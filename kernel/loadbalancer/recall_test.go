package loadbalancer

import (
	"errors"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// recalling is a fixture whose driver takes parts of a balancer from what was known of it.
func recalling(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	descriptor := fakeDescriptor
	descriptor.Capabilities.VersionStamps, descriptor.Capabilities.Recalls = false, true
	f.start(run.Live, descriptor)
	f.settle()
	return f
}

// told is what the first look of the next run is told of the last one.
func (f *fixture) told() *cloud.Observed {
	f.t.Helper()
	f.driver.lasts = nil
	_ = f.ensure()
	return f.driver.lasts[0]
}

func TestKnownFromOneRunToTheNext(t *testing.T) {
	f := recalling(t)
	last := f.told()
	if last == nil || last.ID != "lb-1" || last.Balancer.ProviderFields["algorithm"] != "fair" || last.Native != nil {
		t.Fatalf("a run was told of %+v", last)
	}
	f.svc.Annotations[keyAlgorithm.Name] = "random"
	if last = f.told(); last == nil || last.Balancer.ProviderFields["algorithm"] != "fair" {
		t.Errorf("the run that changed it was told of %+v", last)
	}
	if last = f.told(); last == nil || last.Balancer.ProviderFields["algorithm"] != "random" {
		t.Errorf("after the change a run was told of %+v", last)
	}
	f.nodes = f.nodes[:1]
	f.told()
	if last = f.told(); last == nil || len(last.Balancer.Targets) != 1 {
		t.Errorf("after a change of targets a run was told of %+v", last)
	}
	for _, l := range last.Balancer.Listeners {
		if l.Targets != nil {
			t.Errorf("a change asks for no targets of one listener, and it is said that listener %d has %v", l.Port, l.Targets)
		}
	}
}

// Everything is read again where the balancer is compared with the cloud, and after what failed.
func TestNothingIsKnown(t *testing.T) {
	broken := errors.New("broken")
	for name, act := range map[string]func(*fixture){
		"another process": func(f *fixture) {
			descriptor := fakeDescriptor
			descriptor.Capabilities.VersionStamps, descriptor.Capabilities.Recalls = false, true
			f.start(run.Live, descriptor)
		},
		"a comparison": func(f *fixture) { f.Compare(f.svc) },
		"an observation that fails": func(f *fixture) {
			f.driver.fail = func(call string, _ bool) error { return map[string]error{"observe": broken}[call] }
			fails(f.t, f.ensure(), "broken")
			f.driver.fail = nil
		},
		"a change that fails": func(f *fixture) {
			f.svc.Annotations[keyAlgorithm.Name] = "random"
			f.driver.fail = func(call string, _ bool) error { return map[string]error{"apply": broken}[call] }
			fails(f.t, f.ensure(), "broken")
			f.driver.fail = nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := recalling(t)
			act(f)
			if last := f.told(); last != nil {
				t.Errorf("a run was told of %+v", last)
			}
			if last := f.told(); last == nil {
				t.Error("the run after it was told nothing")
			}
		})
	}
}
