package loadbalancer

import (
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// served is a fixture whose balancer has these targets, which a process that has just started
// finds. Its nodes are a, b and c.
func served(t *testing.T, targets ...cloud.InstanceID) *fixture {
	f := newFixture(t)
	f.settle()
	f.only().Targets = targets
	f.driver.writes = nil
	f.restart()
	return f
}

func (f *fixture) targets(want ...cloud.InstanceID) {
	f.t.Helper()
	if got := f.only().Targets; !slices.Equal(got, want) {
		f.t.Errorf("targets %v, want %v", got, want)
	}
}

// excluded is a Node of the cluster that balancers must not have.
func excluded(name string, edits ...func(*corev1.Node)) *corev1.Node {
	n := node(name)
	n.Labels[corev1.LabelNodeExcludeBalancers] = ""
	for _, edit := range edits {
		edit(n)
	}
	return n
}

// A process that has just started takes a target away only with proof, where most would go.
func TestFirstPassKeepsWhatServes(t *testing.T) {
	addresses := func(n *corev1.Node) {
		n.Spec.ProviderID = ""
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.7"}}
	}
	for _, tt := range []struct {
		name    string
		targets []cloud.InstanceID
		change  func(*fixture)
		want    []cloud.InstanceID
		told    bool
	}{
		{"machines that are there, without nodes", []cloud.InstanceID{"x", "y"}, nil, []cloud.InstanceID{"a", "b", "c", "x", "y"}, true},
		{"half of them", []cloud.InstanceID{"a", "x"}, nil, []cloud.InstanceID{"a", "b", "c"}, false},
		{"more than half", []cloud.InstanceID{"a", "x", "y"}, nil, []cloud.InstanceID{"a", "b", "c", "x", "y"}, true},
		{"all, and there are no nodes", []cloud.InstanceID{"x", "y"}, func(f *fixture) { f.nodes = nil }, []cloud.InstanceID{"x", "y"}, true},
		{"one machine is gone", []cloud.InstanceID{"x", "y"}, func(f *fixture) {
			f.machines.missing = map[cloud.InstanceID]bool{"x": true}
		}, []cloud.InstanceID{"a", "b", "c", "y"}, true},
		{"all are gone, seen with other credentials", []cloud.InstanceID{"x", "y"}, func(f *fixture) {
			f.machines.missing, f.distrust = map[cloud.InstanceID]bool{"x": true, "y": true}, errBroken
		}, []cloud.InstanceID{"a", "b", "c", "x", "y"}, true},
		{"all are gone", []cloud.InstanceID{"x", "y"}, func(f *fixture) {
			f.machines.missing = map[cloud.InstanceID]bool{"x": true, "y": true}
		}, []cloud.InstanceID{"a", "b", "c"}, false},
		{"their nodes are excluded", []cloud.InstanceID{"x", "y"}, func(f *fixture) {
			f.cluster = append(slices.Clone(f.nodes), excluded("x"), excluded("y"))
		}, []cloud.InstanceID{"a", "b", "c"}, false},
		{"their nodes have no provider-ID and are excluded", []cloud.InstanceID{"x", "y"}, func(f *fixture) {
			none := func(n *corev1.Node) { n.Spec.ProviderID = "" }
			f.cluster = append(slices.Clone(f.nodes), excluded("X", none), excluded("y", none))
		}, []cloud.InstanceID{"a", "b", "c"}, false},
		{"their nodes are not selected", []cloud.InstanceID{"b", "c"}, func(f *fixture) {
			f.svc.Annotations[annotation.NodeSelector.Name] = "name=a"
			f.cluster = f.nodes
		}, []cloud.InstanceID{"a"}, false},
		{"nodes that are not eligible", []cloud.InstanceID{"b", "c"}, func(f *fixture) {
			f.machines.bare = map[cloud.InstanceID]bool{"b": true, "c": true}
		}, []cloud.InstanceID{"a", "b", "c"}, true},
		{"the cloud does not answer", []cloud.InstanceID{"x", "y"}, func(f *fixture) {
			f.nodes, f.machines.unread = nil, map[cloud.InstanceID]bool{"x": true}
		}, []cloud.InstanceID{"x", "y"}, true},
		{"addresses nobody has", []cloud.InstanceID{"?10.0.0.7", "?10.0.0.8"}, func(f *fixture) {
			f.machines.addresses = map[string]bool{"10.0.0.1": true}
		}, []cloud.InstanceID{"a", "b", "c"}, false},
		{"addresses of machines", []cloud.InstanceID{"?10.0.0.7", "?10.0.0.8"}, func(f *fixture) {
			f.machines.addresses = map[string]bool{"10.0.0.7": true}
		}, []cloud.InstanceID{"?10.0.0.7", "a", "b", "c"}, true},
		{"addresses, and the list is not believed", []cloud.InstanceID{"?10.0.0.7", "?10.0.0.8"}, nil, []cloud.InstanceID{"?10.0.0.7", "?10.0.0.8", "a", "b", "c"}, true},
		{"addresses of excluded nodes", []cloud.InstanceID{"?10.0.0.7", "?10.0.0.7#30079"}, func(f *fixture) {
			f.cluster = append(slices.Clone(f.nodes), excluded("x", addresses))
		}, []cloud.InstanceID{"a", "b", "c"}, false},
		{"a node's own, not as it should be", []cloud.InstanceID{"?10.0.0.1#30079"}, nil, []cloud.InstanceID{"a", "b", "c"}, false},
	} {
		for _, only := range []bool{false, true} {
			name := tt.name + ", ensure"
			if only {
				name = tt.name + ", targets only"
			}
			t.Run(name, func(t *testing.T) {
				f := served(t, tt.targets...)
				f.said()
				if tt.change != nil {
					tt.change(f)
				}
				run := f.ensure
				if only {
					run = func() error { return f.UpdateTargets(t.Context(), f.svc, f.nodes) }
				}
				for range 2 {
					if err := run(); err != nil {
						t.Fatal(err)
					}
					f.targets(tt.want...)
				}
				told := slices.ContainsFunc(f.events.take(), func(s string) bool { return strings.HasPrefix(s, "TargetsKept") })
				if told != tt.told || len(f.driver.writes) > 1 {
					t.Errorf("told %t, want %t; writes %q, want one at most", told, tt.told, f.driver.writes)
				}
			})
		}
	}
}

// What was kept goes with proof, or when the user asks for something else.
func TestKeptTargetsGo(t *testing.T) {
	for name, change := range map[string]func(*fixture){
		"their machines are gone": func(f *fixture) { f.machines.missing = map[cloud.InstanceID]bool{"x": true, "y": true} },
		"their nodes join and are excluded": func(f *fixture) {
			f.cluster = append(slices.Clone(f.nodes), excluded("x"), excluded("y"))
		},
		"the Service asks for something else": func(f *fixture) { f.svc.Annotations[keyAlgorithm.Name] = "random" },
		"their nodes join and leave": func(f *fixture) {
			joined := f.nodes
			f.nodes = append(slices.Clone(f.nodes), node("x"), node("y"))
			f.settle()
			f.nodes = joined
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := served(t, "x", "y")
			f.settle()
			f.targets("a", "b", "c", "x", "y")
			change(f)
			f.settle()
			f.targets("a", "b", "c")
		})
	}
}

// Afterwards nothing is different: what somebody adds by hand goes, whatever it is.
func TestDriftOfTargetsAfterTheFirstPass(t *testing.T) {
	f := served(t, "a", "b", "c")
	f.settle()
	f.only().Targets = []cloud.InstanceID{"x", "y", "z"}
	f.settle()
	f.targets("a", "b", "c")
	f.nodes = nil
	f.settle()
	f.targets()
}

// The first pass has to be through: one that fails does not count, nor one for another balancer.
func TestFailedFirstPassDoesNotCount(t *testing.T) {
	f := served(t, "a", "b", "c")
	f.driver.fail = func(call string, done bool) error {
		if call == "apply" {
			return errConflict
		}
		return nil
	}
	f.nodes = append(f.nodes, node("d"))
	if err := f.ensure(); !errors.Is(err, errConflict) {
		t.Fatalf("error %v", err)
	}
	f.driver.fail, f.nodes = nil, nil
	f.settle()
	f.targets("a", "b", "c")
}

// In the plan it is the same, and nothing is remembered of it.
func TestPlanKeepsTargets(t *testing.T) {
	f := served(t, "x", "y")
	f.nodes = nil
	for range 2 {
		if plan, err := f.plan(f.nodes...); err != nil || !plan.Empty() {
			t.Errorf("plan %+v, %v; want none", plan, err)
		}
	}
}

// Nodes that no cloud controller manager initialises are targets by name, as with upstream.
func TestTargetsByName(t *testing.T) {
	f := newFixture(t)
	bare := func(name string, taints ...string) *corev1.Node {
		n := node(name)
		n.Spec.ProviderID = ""
		for _, key := range taints {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key})
		}
		return n
	}
	machine := func(id cloud.InstanceID) cloud.Instance {
		return cloud.Instance{ID: id, Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.9"}}}
	}
	f.nodes = []*corev1.Node{node("a"), bare("n1"), bare("metal"), bare("twin-of-a"), bare("new", "node.cloudprovider.kubernetes.io/uninitialized")}
	f.machines.named = map[string]cloud.Instance{"n1": machine("i-1"), "new": machine("i-2"), "twin-of-a": machine("a")}
	f.settle()
	f.targets("a", "i-1")
	f.said("TargetFoundByName: n1 is i-1: found by name, as there is no provider-ID")

	// While the cloud does not answer, what may be theirs stays, and it is asked again.
	f.restart()
	f.machines.nameless = errBroken
	if err := f.ensure(); !errors.Is(err, errBroken) {
		t.Fatalf("error %v", err)
	}
	f.targets("a", "i-1")

	f.machines.nameless, f.machines.named = nil, nil
	f.settle()
	f.targets("a")
}
