package loadbalancer

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

func TestEnsureCreatesThenWritesNothing(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.said()
	want := cloud.Balancer{
		Name: "web", Scope: cloud.ScopeExternal,
		Listeners:      []cloud.Listener{{Protocol: "TCP", Port: 80, TargetProtocol: "TCP", TargetPort: 30080}},
		Health:         &cloud.Health{Protocol: "HTTP", Port: 10256, Path: "/healthz"},
		Targets:        []cloud.InstanceID{"a", "b", "c"},
		ProviderFields: map[string]string{"tier": "basic", "algorithm": "fair", "proxy": "false"},
		OwnershipTags:  []string{"cluster=prod", "uid=0123-4567"},
	}
	if diff := cmp.Diff(want, f.only().Balancer); diff != "" {
		t.Errorf("balancer (-want +got):\n%s", diff)
	}
	if got := f.svc.Annotations[keyID.Name]; got != "lb-1" {
		t.Errorf("recorded id %q", got)
	}
	if got := f.svc.Status.LoadBalancer.Ingress; len(got) != 1 || got[0].IP != "192.0.2.1" {
		t.Errorf("status %v", got)
	}

	f.driver.observes = 0
	f.settle()
	f.restart()
	outcome, err := f.Ensure(t.Context(), f.svc, f.nodes)
	if err != nil || outcome.Record != nil {
		t.Errorf("record %v, error %v, want nothing to write", outcome.Record, err)
	}
	f.wrote()
	if f.driver.observes != 2 {
		t.Errorf("%d observations for two runs", f.driver.observes)
	}
}

// Every kind of driver has to work: those that tell the state after a change and those that
// do not, with clouds that are ready at once and clouds that are not.
func TestEnsureWaitsForTheCloud(t *testing.T) {
	for _, silent := range []bool{false, true} {
		for _, forgetful := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t)
				f.driver.silent, f.driver.busy = silent, 6
				start := time.Now()
				for f.svc.Status.LoadBalancer.Ingress == nil {
					if forgetful {
						f.restart()
					}
					err := f.ensure()
					pending, ok := errors.AsType[*Pending](err)
					if err != nil && !ok {
						t.Fatal(err)
					}
					if err != nil && !silent && f.svc.Annotations[keyID.Name] != "lb-1" {
						t.Error("the id was not recorded with the answer to the creation")
					}
					if err != nil {
						time.Sleep(pending.After)
					}
				}
				f.wrote("create balancer")
				if took := time.Since(start); took > 30*time.Second {
					t.Errorf("silent %v, forgetful %v: took %v", silent, forgetful, took)
				}
				if f.svc.Annotations[keyID.Name] != "lb-1" {
					t.Error("the id was not recorded")
				}
			})
		}
	}
}

// A new balancer that lists do not show yet must not be created twice.
func TestNewBalancerIsFoundByID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.driver.hidden, f.driver.busy = true, 4
		f.settle()
		f.wrote("create balancer")
	})
}

func TestPoll(t *testing.T) {
	for pending, want := range map[time.Duration]time.Duration{
		0: time.Second, time.Second: time.Second, 2 * time.Second: 2 * time.Second, 4 * time.Second: 4 * time.Second,
		1300 * time.Millisecond: 1300 * time.Millisecond, 5200 * time.Millisecond: 2800 * time.Millisecond, 7900 * time.Millisecond: time.Second,
		10 * time.Second: 2 * time.Second, 30 * time.Second: 6 * time.Second, time.Hour: 15 * time.Second,
	} {
		if got := problem.LookAfter(pending); got != want {
			t.Errorf("the wait after %v is %v, want %v", pending, got, want)
		}
	}
}

// A driver that knows only the id of what it has made is asked for the rest at once.
func TestNewBalancerIsReadAtOnce(t *testing.T) {
	f := newFixture(t)
	f.driver.ready, f.driver.busy = true, 1
	first := f.ensure()
	observed := f.driver.observes
	f.settle()
	f.wrote("create balancer")
	if observed != 2 {
		t.Errorf("%d reads in the first run (%v), want one before and one after the creation", observed, first)
	}
}

func TestPendingBalancerIsNotChanged(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.only().busy = 3
	f.svc.Annotations[keyAlgorithm.Name] = "random"
	waits(t, f.ensure(), problem.PollFirst)
	waits(t, f.UpdateTargets(t.Context(), f.svc, f.nodes[:1]), problem.PollFirst)
	waits(t, f.Delete(t.Context(), f.svc), problem.PollFirst)
	f.wrote()
}

func TestRemovedAnnotationReturnsToDefault(t *testing.T) {
	f := newFixture(t, annotated(keyAlgorithm.Name, "random"), annotated(keyTier.Name, "premium"))
	f.settle()
	f.restart()
	f.wrote("create balancer")
	delete(f.svc.Annotations, keyAlgorithm.Name)
	f.settle()
	f.wrote("update balancer algorithm")
	if got := f.only().ProviderFields["algorithm"]; got != "fair" {
		t.Errorf("algorithm %q", got)
	}
}

func TestNodeSelector(t *testing.T) {
	f := newFixture(t, annotated(annotation.NodeSelector.Name, "name in (a,c)"))
	f.settle()
	if got := f.only().Targets; !slices.Equal(got, []cloud.InstanceID{"a", "c"}) {
		t.Errorf("targets %v", got)
	}
}

func TestDuplicateListenersAreRefused(t *testing.T) {
	f := newFixture(t)
	f.svc.Spec.Ports = append(f.svc.Spec.Ports, f.svc.Spec.Ports[0])
	fails(t, f.ensure(), "tcp/80")
	f.wrote()
}

func TestNotes(t *testing.T) {
	f := newFixture(t, annotated(keyAlgorithm.Name, "random"))
	f.settle()
	f.said("ConfigurationIgnored: fake.io/algorithm: it is slow")
}

func TestSourceRangesTheCloudCannotEnforce(t *testing.T) {
	descriptor := fakeDescriptor
	descriptor.Capabilities.SourceRanges = false
	f := newFixture(t, func(svc *corev1.Service) { svc.Spec.LoadBalancerSourceRanges = []string{"10.0.0.0/8"} })
	f.start(run.Live, descriptor)
	fails(t, f.ensure(), "loadBalancerSourceRanges", "10.0.0.0/8")
	f.wrote()
	f.said("SourceRangesRefused")

	f.svc.Spec.LoadBalancerSourceRanges = []string{"0.0.0.0/0"}
	f.settle()
	f.wrote("create balancer")
}

// No balancer is made before the first node can be its target: its zones and address families
// would be chosen from nothing, for good.
func TestNoBalancerWithoutTarget(t *testing.T) {
	joining := []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "joining"}}}
	for name, nodes := range map[string][]*corev1.Node{"no nodes": nil, "joining": joining, "not eligible": {node("bare")}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.machines.bare = map[cloud.InstanceID]bool{"bare": true}
			all := f.nodes
			f.nodes = nodes
			waits(t, f.ensure(), 5*time.Minute)
			f.wrote()
			if said := strings.Join(f.events.take(), "\n"); !strings.Contains(said, "WaitingForNodes: the load balancer is made as soon as a node can be its target") {
				t.Errorf("events:\n%s", said)
			}
			p, err := f.plan(f.nodes...)
			if len(p.Operations) != 1 || !p.Empty() || err == nil {
				t.Errorf("plan %+v, error %v; want the creation, blocked", p, err)
			}
			if _, id, err := f.Desired(t.Context(), f.svc, f.nodes); id != "" || err != nil {
				t.Errorf("Shape() = %q, %v: other Services' firewall must not wait", id, err)
			}
			f.nodes = all
			f.settle()
			f.wrote("create balancer")
		})
	}
}

// A balancer that is there stays, also when its last node goes.
func TestLastNodeGoes(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.nodes = nil
	f.settle()
	f.wrote("delete target a; delete target b; delete target c")
	f.said("NoTargets")
}

func TestFailedBalancer(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.only().failed = "out of addresses"
	fails(t, f.ensure(), "lb-1 has failed", "out of addresses")
	f.said("CloudFailure: balancer lb-1 has failed")
}

func TestBalancerWithoutAddress(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.only().bare = true
	waits(t, f.ensure(), problem.PollFirst)
	f.svc.Annotations[annotation.Hostname.Name] = "www.example.com"
	f.settle()
}

func TestDisowned(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	status := f.svc.Status.LoadBalancer.DeepCopy()
	f.driver.observes = 0
	f.svc.Annotations[annotation.Disown.Name] = "true"
	f.svc.Annotations[keyAlgorithm.Name] = "random"
	f.settle()
	if err := errors.Join(f.UpdateTargets(t.Context(), f.svc, nil), f.Delete(t.Context(), f.svc)); err != nil {
		t.Fatal(err)
	}
	if p, err := f.plan(); err != nil || !p.Empty() {
		t.Errorf("plan %v, error %v", p, err)
	}
	got, exists, err := f.Get(t.Context(), f.svc)
	if diff := cmp.Diff(status, got); diff != "" || !exists || err != nil {
		t.Errorf("Get() = %v, %v, %v", got, exists, err)
	}
	f.wrote()
	if f.driver.observes != 0 {
		t.Errorf("%d observations", f.driver.observes)
	}
}

func TestDisownWithBadValueCountsAsFalse(t *testing.T) {
	f := newFixture(t, annotated(annotation.Disown.Name, "yes please"))
	f.settle()
	f.said("ConfigurationIgnored")
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Fatal(err)
	}
	f.wrote("create balancer", "delete balancer")
}

func TestDryRunWritesNothing(t *testing.T) {
	f := newFixture(t)
	f.start(run.DryRun, fakeDescriptor)
	for range 5 {
		f.settle()
	}
	f.wrote()
	if len(f.svc.Status.LoadBalancer.Ingress) != 0 || len(f.svc.Annotations) != 0 {
		t.Errorf("status %v, annotations %v", f.svc.Status, f.svc.Annotations)
	}
	f.said()

	f.restart()
	f.settle()
	f.start(run.DryRun, fakeDescriptor)
	f.driver.writes = nil
	fails(t, f.Delete(t.Context(), f.svc), "stays", string(run.DryRun))
	f.svc.Annotations[annotation.Retain.Name] = "true"
	fails(t, f.Delete(t.Context(), f.svc), "stays")
	f.wrote()
}

func TestName(t *testing.T) {
	f := newFixture(t)
	f.svc.UID = "00112233-4455-6677-8899-aabbccddeeff"
	if got := f.Name(f.svc); got != "a00112233445566778899aabbccddeef" {
		t.Errorf("Name() = %q", got)
	}
	f.svc.UID = ""
	if got := f.Name(f.svc); got != "a" {
		t.Errorf("Name() without UID = %q", got)
	}
}

func TestElsewhere(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.wrote("create balancer")
	f.svc.Annotations[keyAlgorithm.Name] = "other"
	f.svc.Spec.Ports = append(f.svc.Spec.Ports, corev1.ServicePort{Name: "more", Protocol: corev1.ProtocolTCP, Port: 81, NodePort: 30081})
	f.settle()
	f.wrote()
	if err := f.Delete(t.Context(), f.svc); err != nil {
		t.Fatal(err)
	}
	f.wrote("delete balancer")
}
