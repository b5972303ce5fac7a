package loadbalancer

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestWhoBecomesTarget(t *testing.T) {
	f := newFixture(t, annotated(annotation.NodeSelector.Name, "name!=unselected"))
	provider := func(name, id string) *corev1.Node {
		n := node(name)
		n.Spec.ProviderID = id
		return n
	}
	f.nodes = []*corev1.Node{
		node("fine"), node("unselected"), node("bare"), provider("new", ""),
		provider("elsewhere", "aws:///zone/i-1"), provider("odd", "fake://"), provider("noscheme", "metal-7"),
		provider("twin", "fake://fine"), provider("twin-of-bare", "fake://bare"),
	}
	f.machines.bare = map[cloud.InstanceID]bool{"bare": true}
	f.settle()
	if got := f.only().Targets; !slices.Equal(got, []cloud.InstanceID{"fine"}) {
		t.Errorf("targets %v", got)
	}
	f.said("TargetSkipped: bare: it has no address; elsewhere, noscheme: its provider-ID belongs to another cloud; odd: its provider-ID is malformed")
}

// The Node's own addresses do not count: they may not be written yet.
func TestAddressesComeFromTheCloud(t *testing.T) {
	f := newFixture(t)
	f.machines.bare = map[cloud.InstanceID]bool{"a": true}
	f.nodes[0].Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.9"}}
	f.nodes[1].Status.Addresses = nil
	f.settle()
	if got := f.only().Targets; !slices.Equal(got, []cloud.InstanceID{"b", "c"}) {
		t.Errorf("targets %v", got)
	}
}

func TestMostTargets(t *testing.T) {
	f := newFixture(t)
	f.nodes = nil
	for _, name := range []string{"h", "g", "f", "e", "d", "c", "b", "a"} {
		f.nodes = append(f.nodes, node(name))
	}
	f.settle()
	f.said("TargetSkipped: g, h: a balancer has at most 6 targets")
	f.only().Targets = []cloud.InstanceID{"g", "h"}
	f.settle()
	if got := f.only().Targets; !slices.Equal(got, []cloud.InstanceID{"a", "b", "c", "d", "g", "h"}) {
		t.Errorf("targets %v: those attached must stay", got)
	}
}

// Each look of an Ensure is told of the candidates: drivers read what belongs to the nodes, such as their security groups,
// and tell targets of ours from those of others.
func TestObserveHasTheCandidates(t *testing.T) {
	f := newFixture(t)
	if err := f.ensure(); err != nil {
		t.Fatal(err)
	}
	f.restart()
	if err := f.ensure(); err != nil {
		t.Fatal(err)
	}
	if f.driver.observes == 0 || f.driver.uninformed > 0 {
		t.Errorf("%d of %d looks without candidates", f.driver.uninformed, f.driver.observes)
	}
}
