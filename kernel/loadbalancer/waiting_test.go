package loadbalancer

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// TestWaitingForNodesSaysWhy: each reason why a node can be no target, with the nodes that it is true of.
func TestWaitingForNodesSaysWhy(t *testing.T) {
	with := func(name string, change func(*corev1.Node)) *corev1.Node {
		n := node(name)
		change(n)
		return n
	}
	excludedBy := func(value string) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Labels = map[string]string{corev1.LabelNodeExcludeBalancers: value} }
	}
	tainted := func(key string) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: key}} }
	}
	const label = "it has the label node.kubernetes.io/exclude-from-external-load-balancers"
	tests := map[string]struct {
		// handed are the nodes that the framework names, beside those of the cluster that it leaves out.
		handed, others []*corev1.Node
		edit           func(*corev1.Service)
		want           string
	}{
		"no node":                    {nil, nil, nil, ""},
		"each has the label":         {nil, []*corev1.Node{with("a", excludedBy("")), with("b", excludedBy("true"))}, nil, ": a, b: " + label},
		"many have it":               {nil, []*corev1.Node{with("d", excludedBy("")), with("a", excludedBy("")), with("c", excludedBy("")), with("b", excludedBy(""))}, nil, ": a, b, c and 1 more: " + label},
		"about to be deleted":        {nil, []*corev1.Node{with("a", tainted("ToBeDeletedByClusterAutoscaler"))}, nil, ": a: it is being deleted"},
		"of another cloud":           {nil, []*corev1.Node{with("a", func(n *corev1.Node) { n.Spec.ProviderID = "other://1" })}, nil, ": a: its provider-ID belongs to another cloud"},
		"has just come":              {nil, []*corev1.Node{node("a")}, nil, ""},
		"label with the value false": {nil, []*corev1.Node{with("a", excludedBy("false"))}, nil, ""},
		"joining": {[]*corev1.Node{with("a", func(n *corev1.Node) {
			n.Spec = corev1.NodeSpec{Taints: []corev1.Taint{{Key: "node.cloudprovider.kubernetes.io/uninitialized"}}}
		})}, nil, nil, ": a: it waits for its cloud: it has no provider-ID yet"},
		"not selected": {[]*corev1.Node{node("a")}, nil, annotated(annotation.NodeSelector.Name, "pool=web"), ": a: multicloud-ccm.io/node-selector does not match its labels"},
		"not eligible, and excluded": {
			[]*corev1.Node{node("bare")}, []*corev1.Node{with("b", excludedBy(""))}, nil, ": bare: it has no address; b: " + label,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			if test.edit != nil {
				test.edit(f.svc)
			}
			f.machines.bare = map[cloud.InstanceID]bool{"bare": true}
			f.nodes, f.cluster = test.handed, slices.Concat(test.handed, test.others)
			waits(t, f.ensure(), 5*time.Minute)
			f.wrote()
			want := event.WaitingForNodes.Name + ": the load balancer is made as soon as a node can be its target" + test.want
			said := f.events.take()
			if !slices.ContainsFunc(said, func(s string) bool { return strings.HasSuffix(s, want) }) {
				t.Errorf("events\n%s\nwant %s", strings.Join(said, "\n"), want)
			}
		})
	}
}

// A balancer whose only address reaches nobody has none yet: nobody is told of it.
func TestNoAddressOfNobody(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.only().network = "127.0.0."
	f.svc.Status = corev1.ServiceStatus{}
	waits(t, f.ensure(), problem.PollFirst)
	f.only().network = ""
	f.settle()
	if told := f.svc.Status.LoadBalancer.Ingress; len(told) != 1 || told[0].IP != "192.0.2.1" {
		t.Errorf("told %v", told)
	}
}

// A balancer that is there and loses its last target says why, too.
func TestNoTargetsSaysWhy(t *testing.T) {
	f := newFixture(t)
	f.settle()
	f.events.take()
	for _, n := range f.nodes {
		n.Labels = map[string]string{corev1.LabelNodeExcludeBalancers: ""}
	}
	f.nodes, f.cluster = nil, f.nodes
	f.settle()
	f.said("NoTargets: no node can be a target of this balancer: a, b, c: it has the label node.kubernetes.io/exclude-from-external-load-balancers")
}
