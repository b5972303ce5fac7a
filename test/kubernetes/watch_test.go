package kubernetes

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/install"
)

// there is a Service with an endpoint on node-1, and its load balancer with both nodes as targets.
func there(policy corev1.ServiceExternalTrafficPolicy, healthy ...bool) state {
	s := state{
		services: []corev1.Service{{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u1"}, Spec: corev1.ServiceSpec{ExternalTrafficPolicy: policy}}},
		slices: []discoveryv1.EndpointSlice{{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Labels: map[string]string{discoveryv1.LabelServiceName: "web"}},
			Endpoints:  []discoveryv1.Endpoint{{NodeName: new("node-1")}, {NodeName: new("node-2"), Conditions: discoveryv1.EndpointConditions{Ready: new(false)}}},
		}},
		balancers: []install.LoadBalancer{{ID: "lb-1", ServiceUID: "u1", Active: true, Healthy: map[string]bool{}}},
	}
	for i, name := range []string{"node-1", "node-2"} {
		s.nodes = append(s.nodes, corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionTrue},
		}}})
		s.balancers[0].Healthy[name] = healthy[i]
	}
	return s
}

func TestHealthFollowsPolicy(t *testing.T) {
	const local, cluster = corev1.ServiceExternalTrafficPolicyLocal, corev1.ServiceExternalTrafficPolicyCluster
	for _, test := range []struct {
		name string
		s    state
		want string
	}{
		{"Local, as it is to be", there(local, true, false), ""},
		{"Local, and the check does not ask for it", there(local, true, true), "node-2 is healthy"},
		{"Local, and nothing is healthy", there(local, false, false), "node-1 is unhealthy"},
		{"Cluster, as it is to be", there(cluster, true, true), ""},
		{"Cluster, and the check asks for endpoints", there(cluster, true, false), "node-2 is unhealthy"},
	} {
		if got := test.s.health(test.s.services[0], test.s.balancers[0]); got != test.want && (test.want == "" || !strings.Contains(got, test.want)) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	gone := there(cluster, true, false)
	gone.nodes[1].Status.Conditions = nil
	if got := gone.health(gone.services[0], gone.balancers[0]); got != "" {
		t.Errorf("a node that is not ready: %q", got)
	}
}

// What may pass is found when it lasts, and belongs to the namespace of the Service.
func TestLookAtBalancers(t *testing.T) {
	const local = corev1.ServiceExternalTrafficPolicyLocal
	orphan, twice := there(local, true, false), there(local, true, false)
	orphan.services = nil
	twice.balancers = append(twice.balancers, install.LoadBalancer{ID: "lb-2", ServiceUID: "u1"})
	for _, test := range []struct {
		name, namespace, want string
		s                     state
	}{
		{"fine", "shop", "", there(local, true, false)},
		{"of no Service", "", "lb-1 is of no Service", orphan},
		{"two", "shop", "two load balancers, lb-1 and lb-2", twice},
		{"health", "shop", "node-2 is healthy", there(local, true, true)},
	} {
		w := newWatch(nil, nil)
		w.lookAtBalancers(test.s, map[string]bool{})
		if got := w.rest(); len(got) > 0 {
			t.Errorf("%s: found at once: %v", test.name, got)
		}
		for what := range w.since {
			w.since[what] = time.Now().Add(-time.Hour)
		}
		w.lookAtBalancers(test.s, map[string]bool{})
		got := strings.Join(w.findings(test.namespace), "\n")
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: found %q, want %q", test.name, got, test.want)
		}
	}
}
