package loadbalancer

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
)

func TestDrift(t *testing.T) {
	tests := []struct {
		name   string
		change func(*fixture)
		event  string // "" for none
	}{
		{"nothing", func(*fixture) {}, ""},
		{"field", func(f *fixture) { f.only().ProviderFields["algorithm"] = "random" }, "DriftRepaired: brought back: algorithm"},
		{"health check", func(f *fixture) { f.only().Health = nil }, "DriftRepaired: brought back: health.healthy, health.interval"},
		{"listener", func(f *fixture) { f.only().Listeners[0].TargetPort = 1 }, "DriftRepaired: brought back: listener tcp/80 targetPort"},
		{"listeners", func(f *fixture) { f.only().Listeners = nil }, "DriftRepaired: brought back: listener tcp/80"},
		{"targets", func(f *fixture) { f.only().Targets = []cloud.InstanceID{"c", "z"} }, "DriftRepaired: brought back: 3 targets"},
		{"balancer", func(f *fixture) { clear(f.driver.balancers) }, "DriftRepaired: brought back: the balancer itself"},
		{"Service", func(f *fixture) { f.svc.Annotations[keyProxy.Name] = "true" }, ""},
		{"Service and field", func(f *fixture) {
			f.svc.Annotations[keyProxy.Name] = "true"
			f.only().ProviderFields["algorithm"] = "random"
		}, ""},
		{"nodes", func(f *fixture) { f.nodes = f.nodes[:1] }, ""},
		{"nodes and field", func(f *fixture) {
			f.nodes = f.nodes[:1]
			f.only().ProviderFields["algorithm"] = "random"
		}, "DriftRepaired: brought back: algorithm"},
		{"restart and field", func(f *fixture) {
			f.restart()
			f.only().ProviderFields["algorithm"] = "random"
		}, ""},
		{"nodes through UpdateTargets, then field", func(f *fixture) {
			f.nodes = append(f.nodes, node("d"))
			if err := f.UpdateTargets(f.t.Context(), f.svc, f.nodes); err != nil {
				f.t.Fatal(err)
			}
			f.only().ProviderFields["algorithm"] = "random"
		}, "DriftRepaired: brought back: algorithm"},
		{"field, then nodes through UpdateTargets", func(f *fixture) {
			f.only().ProviderFields["algorithm"] = "random"
			f.nodes = append(f.nodes, node("d"))
			if err := f.UpdateTargets(f.t.Context(), f.svc, f.nodes); err != nil {
				f.t.Fatal(err)
			}
		}, "DriftRepaired: brought back: algorithm"},
		{"nodes while an annotation is bad, and back", func(f *fixture) {
			nodes := f.nodes
			f.svc.Annotations[keyProxy.Name], f.nodes = "perhaps", nodes[:2]
			fails(f.t, f.ensure(), keyProxy.Name)
			delete(f.svc.Annotations, keyProxy.Name)
			f.nodes = nodes
			f.events.take()
		}, ""},
		{"nodes through UpdateTargets and back", func(f *fixture) {
			if err := f.UpdateTargets(f.t.Context(), f.svc, append(f.nodes, node("d"))); err != nil {
				f.t.Fatal(err)
			}
		}, ""},
		{"our own failed change and back", func(f *fixture) {
			f.driver.fail = func(call string, done bool) error {
				if call == "apply" && done {
					return errBroken
				}
				return nil
			}
			f.svc.Annotations[keyProxy.Name] = "true"
			fails(f.t, f.ensure(), "broken")
			delete(f.svc.Annotations, keyProxy.Name)
			f.driver.fail = nil
			f.events.take()
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.settle()
			f.settle()
			f.age()
			test.change(f)
			f.settle()
			if test.event == "" {
				f.said()
			} else {
				f.said(test.event)
			}
			f.driver.writes = nil
			f.settle()
			f.wrote()
			f.said()
		})
	}
}

func TestTargetDriftIsSaidByUpdateTargetsToo(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.only().Targets = nil
	if err := f.UpdateTargets(t.Context(), f.svc, f.nodes); err != nil {
		t.Fatal(err)
	}
	f.said("DriftRepaired: brought back: 3 targets")
}

// A cloud that stores something else than it is told is left alone after three tries.
func TestNotConverging(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.driver.keep = func(b *cloud.Balancer) { b.ProviderFields["algorithm"] = "fair" }
	f.svc.Annotations[keyAlgorithm.Name] = "random"
	f.svc.Annotations[keyTier.Name] = keyTier.Default
	for range 6 {
		f.settle()
	}
	f.wrote("update balancer algorithm", "update balancer algorithm", "update balancer algorithm")
	said := f.events.take()
	converging := 0
	for _, text := range said {
		if strings.HasPrefix(text, "DriftRepaired") {
			t.Errorf("said %q of our own change", text)
		}
		if text == "NotConverging: made 3 times in a row and needed again: algorithm" {
			converging++
		}
	}
	if converging != 3 {
		t.Errorf("events %q, want 3 times NotConverging", said)
	}

	f.nodes = f.nodes[:1] // other changes are still made
	f.settle()
	f.wrote("update balancer algorithm; delete target b; delete target c")
	f.svc.Annotations[keyProxy.Name] = "true"
	f.settle()
	f.settle()
	f.wrote("update balancer algorithm; update balancer proxy", "update balancer algorithm")
	f.driver.keep = nil
	f.settle()
	f.wrote("update balancer algorithm")
	f.settle()
	f.wrote()
}

// A change of many steps, all of which the same differences ask for, is carried out to its end. The
// same step again and again is not.
func TestStepsOfOneChange(t *testing.T) {
	for name, test := range map[string]struct {
		step func(run int) string
		want int
	}{
		"other steps":   {strconv.Itoa, 6},
		"the same step": {func(int) string { return "writing" }, 3},
		"two in turn":   {func(run int) string { return strconv.Itoa(run % 2) }, 5},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.settle()
			f.driver.writes = nil
			f.driver.keep = func(b *cloud.Balancer) { b.ProviderFields["algorithm"] = "fair" }
			f.svc.Annotations[keyAlgorithm.Name] = "random"
			run := 0
			f.driver.step = func() string { run++; return test.step(run) }
			for range 6 {
				_ = f.ensure()
			}
			if got := len(f.driver.writes); got != test.want {
				t.Errorf("%d writes, want %d", got, test.want)
			}
		})
	}
}

func TestAnotherRequestIsTriedAgain(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.driver.keep = func(b *cloud.Balancer) { b.ProviderFields["algorithm"] = "fair" }
	f.svc.Annotations[keyAlgorithm.Name] = "random"
	for range 5 {
		f.settle()
	}
	f.driver.writes = nil
	f.svc.Annotations[annotation.Hostname.Name] = "www.example.com" // the same changes, another request
	f.settle()
	f.wrote("update balancer algorithm")
}

func TestTargetsNotConverging(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.driver.keep = func(b *cloud.Balancer) { b.Targets = []cloud.InstanceID{"a"} }
	for range 5 {
		if err := f.UpdateTargets(t.Context(), f.svc, f.nodes[:2]); err != nil {
			t.Fatal(err)
		}
	}
	// The first one is no repetition: it also removes c.
	f.wrote("delete target c", "create target b", "create target b", "create target b")
}

func TestNotConvergingIsShownInPlans(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.driver.keep = func(b *cloud.Balancer) { b.ProviderFields["algorithm"] = "fair" }
	f.svc.Annotations[keyAlgorithm.Name] = "random"
	for range 3 {
		f.settle()
	}
	p, err := f.plan(f.nodes...)
	if err != nil || !p.Empty() || len(p.Operations) != 1 || p.Operations[0].Blocked == "" {
		t.Errorf("plan %+v, error %v", p, err)
	}
}

// A balancer that vanishes after each creation is not created for ever.
func TestVanishingBalancer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.driver.silent = true
		f.driver.fail = func(call string, done bool) error {
			if call == "apply" && done {
				clear(f.driver.balancers)
			}
			return nil
		}
		for range 3 {
			waits(t, f.ensure(), problem.PollFirst)
		}
		for range 3 {
			fails(t, f.ensure(), "does not keep it")
		}
		f.wrote("create balancer", "create balancer", "create balancer")
	})
}

func TestMemoryIsForgotten(t *testing.T) {
	f := newFixture(t)
	f.settle()
	if !f.remembers(f.svc) {
		t.Fatal("nothing is remembered of the Service")
	}
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Fatal(err)
	}
	other := service(func(svc *corev1.Service) { svc.UID = "other" })
	if _, exists, err := f.Get(t.Context(), other); exists || err != nil {
		t.Fatal(exists, err)
	}
	if f.remembers(f.svc) || f.remembers(other) {
		t.Error("something is remembered still")
	}
}

// remembers reports whether the process remembers anything of the Service.
func (f *fixture) remembers(svc *corev1.Service) bool {
	f.t.Helper()
	p, _, err := f.begin(f.t.Context(), svc, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	defer p.end()
	return *p.Memory != (state.Service{})
}

// The balancer was deleted by somebody else.
func TestMemoryOfAVanishedBalancerIsForgotten(t *testing.T) {
	f := newFixture(t)
	f.settle()
	clear(f.driver.balancers)
	f.age()
	if err := f.Delete(t.Context(), leaving(f)); err != nil {
		t.Fatal(err)
	}
	if f.remembers(f.svc) {
		t.Error("something is remembered still")
	}
}
