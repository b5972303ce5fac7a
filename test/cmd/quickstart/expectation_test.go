package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// fakeCloud has machines and nothing else.
type fakeCloud struct{ cloud }

func (fakeCloud) hasAPI() bool { return true }

func (fakeCloud) hasBalancers() bool { return true }

func (fakeCloud) carriesTraffic() bool { return false }

func (fakeCloud) env() []string { return []string{"FAKE_URL=http://127.0.0.1:1"} }

func (fakeCloud) args() []string { return []string{"--cloud-config=f.conf"} }

func (fakeCloud) provider() string { return "fake" }

func (fakeCloud) title() string { return "a fake" }

func (fakeCloud) machines() []machine {
	var list []machine
	for i, name := range nodeNames {
		list = append(list, machine{name: name, providerID: "x://" + name, region: "r", zone: "z", addresses: []string{"10.0.0." + string(rune('1'+i))}})
	}
	return list
}

// joined returns a Node as a kubelet registers it.
func joined(name string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: controlplane.UninitializedTaint}}},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
}

// initialise does to a side what a CCM does.
func initialise(c cloud) func(*side) {
	return func(s *side) {
		for _, m := range c.machines() {
			node := joined(m.name)
			node.Spec.Taints, node.Spec.ProviderID = nil, m.providerID
			node.Labels = map[string]string{corev1.LabelTopologyRegion: m.region, corev1.LabelTopologyZone: m.zone}
			node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: m.addresses[0]}}
			s.nodes[m.name] = node
		}
		s.service = &corev1.Service{Status: corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{
			Ingress: []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}},
		}}}
	}
}

func join(s *side) {
	for _, name := range nodeNames {
		s.nodes[name] = joined(name)
	}
	s.service = &corev1.Service{}
}

func TestExpectations(t *testing.T) {
	c := fakeCloud{}
	tests := []struct {
		name          string
		without, with func(*side)
		missing       int // of the five about joining
		met           int
	}{
		{"nothing happened", join, join, 5, 0},
		{"as expected", join, initialise(c), 0, 5},
		// Whatever did it without a CCM, it proves nothing about ours.
		{"happened in both", initialise(c), initialise(c), 0, 0},
		{"one node is left out", join, func(s *side) {
			initialise(c)(s)
			s.nodes[stopped] = joined(stopped)
		}, 4, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBoard(c, func() string { return "" }, func(change) {})
			b.enter(joining)
			b.update(without, tt.without)
			b.update(with, tt.with)
			missing, _ := b.missing()
			met := 0
			for _, e := range b.results() {
				if e.met() {
					met++
				}
			}
			if len(missing) != tt.missing || met != tt.met {
				t.Errorf("missing %q, %d met; want %d missing, %d met", missing, met, tt.missing, tt.met)
			}
		})
	}
}

func TestOutage(t *testing.T) {
	c := fakeCloud{}
	b := newBoard(c, func() string { return "nodes is forbidden" }, func(change) {})
	b.update(without, join)
	b.update(with, initialise(c))
	b.enter(outage)
	b.update(with, func(s *side) {
		s.nodes[stopped] = nil // too much
		s.nodes[deleted] = nil
	})
	missing, _ := b.missing()
	want := []string{
		stopped + ` (off) gets the taint "shutdown"`, stopped + " stays: off is not gone",
		"the permissions of config/rbac are enough",
	}
	if !slices.Equal(missing, want) {
		t.Errorf("missing %q, want %q", missing, want)
	}
}

// Where nobody can be asked for machines, Nodes have to be kept as they are for a while.
func TestOutageWithoutAnAPI(t *testing.T) {
	for name, tt := range map[string]struct {
		happens func(*side)
		missing []string
	}{
		"nothing":        {func(*side) {}, nil},
		"one is removed": {func(s *side) { s.nodes[deleted] = nil }, []string{deleted + " (gone) is kept, without a taint"}},
		"one is tainted": {func(s *side) {
			s.nodes[stopped].Spec.Taints = []corev1.Taint{{Key: shutdownTaint}}
		}, []string{stopped + " (off) is kept, without a taint"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := withoutAPI{}
				b := newBoard(c, func() string { return "" }, func(change) {})
				b.update(without, join)
				b.update(with, initialise(c))
				b.enter(outage)
				time.Sleep(kept - time.Second)
				if missing, _ := b.missing(); len(missing) != 2 {
					t.Errorf("before the time is over %q is missing", missing)
				}
				b.update(with, tt.happens)
				time.Sleep(time.Second)
				if missing, _ := b.missing(); !slices.Equal(missing, tt.missing) {
					t.Errorf("missing %q, want %q", missing, tt.missing)
				}
			})
		})
	}
}

func TestLines(t *testing.T) {
	var out bytes.Buffer
	c := fakeCloud{}
	log := &stamped{out: &out, started: time.Now()}
	b := newBoard(c, nil, lines{log}.change)
	b.update(with, join)
	out.Reset()
	b.update(with, func(s *side) { s.nodes[deleted] = nil })
	if got := out.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "Ready → removed") {
		t.Errorf("a removed Node shows as %q, want one line", got)
	}
}

// Why it takes long stays in the picture while it does, on one line.
func TestScreenSaysWhy(t *testing.T) {
	var out bytes.Buffer
	s := &screen{out: &out, picture: func() []string { return nil }, quit: make(chan struct{})}
	s.why(slowly)
	out.Reset()
	if s.waiting([]string{"node-3"}); !strings.Contains(out.String(), slowly+"\x1b") || strings.Contains(out.String(), "waiting") {
		t.Errorf("while it takes long: %q", out.String())
	}
	s.step("done")
	out.Reset()
	if s.waiting([]string{"node-3"}); strings.Contains(out.String(), slowly) || !strings.Contains(out.String(), "waiting for: node-3") {
		t.Errorf("in the next step: %q", out.String())
	}
}

// carrying is a cloud with all that there is.
type carrying struct{ fakeCloud }

func (carrying) carriesTraffic() bool { return true }

type withoutBalancers struct{ fakeCloud }

func (withoutBalancers) hasBalancers() bool { return false }

type withoutAPI struct{ withoutBalancers }

func (withoutAPI) hasAPI() bool { return false }

// Where there is less to expect than elsewhere, it is said why.
func TestLeftOut(t *testing.T) {
	most := len(expectations(carrying{}))
	for _, tt := range []struct {
		cloud
		says string
	}{{carrying{}, ""}, {fakeCloud{}, "no traffic on a fake"}, {withoutBalancers{}, "no load balancers on fake"}, {withoutAPI{}, "with fake the CCM touches no Service"}} {
		fewer, why := len(expectations(tt.cloud)) < most, leftOut(tt.cloud)
		if fewer != (why != "") || !strings.Contains(why, tt.says) {
			t.Errorf("fewer: %t, why: %q, want %q in it", fewer, why, tt.says)
		}
	}
}

// What is shown at the end can be copied: it has the settings, and the flags, of the CCM.
func TestCommands(t *testing.T) {
	got := commands("bin/quickstart-fake", fakeCloud{})
	for _, want := range []string{"  export FAKE_URL=http://127.0.0.1:1\n", "  bin/quickstart-fake explain node node-2 --node-deletion-grace=5s --cloud-provider=fake --cloud-config=f.conf\n", "bin/quickstart-fake plan --cloud", "bin/quickstart-fake doctor --leader-elect=false --cloud"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
}

// A Warning fails the run where it comes while nothing is wrong, and not where machines have failed.
func TestWarnings(t *testing.T) {
	for _, early := range []bool{false, true} {
		b := newBoard(fakeCloud{}, func() string { return "" }, func(change) {})
		b.enter(joining)
		if early {
			b.warned(with, "Service hello: SyncLoadBalancerFailed: no")
		}
		b.enter(outage)
		b.warned(with, "Node node-2: NodeNotReady: it is off")
		missing, _ := b.missing()
		if slices.Contains(missing, "no Warning came before anything was wrong") != early {
			t.Errorf("early %t: missing %q", early, missing)
		}
	}
}
