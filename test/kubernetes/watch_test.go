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
		services: []corev1.Service{{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u1"},
			Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, ExternalTrafficPolicy: policy},
		}},
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
		want string // the node that is wrong, and how
	}{
		{"Local, as it is to be", there(local, true, false), ""},
		{"Local, and the check does not ask for it", there(local, true, true), "node-2 is healthy"},
		{"Local, and nothing is healthy", there(local, false, false), "node-1 is unhealthy"},
		{"Cluster, as it is to be", there(cluster, true, true), ""},
		{"Cluster, and the check asks for endpoints", there(cluster, true, false), "node-2 is unhealthy"},
	} {
		got := ""
		for node, how := range test.s.health(test.s.services[0], test.s.balancers[0]) {
			got += node + " " + how
		}
		if got != test.want && (test.want == "" || !strings.HasPrefix(got, test.want)) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	gone := there(cluster, true, false)
	gone.nodes[1].Status.Conditions = nil
	if got := gone.health(gone.services[0], gone.balancers[0]); len(got) > 0 {
		t.Errorf("a node that is not ready: %v", got)
	}
}

// What may pass is found when it lasts, and belongs to the namespace of the Service. A Warning is found at once.
func TestJudge(t *testing.T) {
	const local = corev1.ServiceExternalTrafficPolicyLocal
	orphan, changed, twice, warned := there(local, true, false), there(local, true, false), there(local, true, false), there(local, true, false)
	orphan.services = nil
	changed.services[0].Spec.Type = corev1.ServiceTypeClusterIP
	twice.balancers = append(twice.balancers, install.LoadBalancer{ID: "lb-2", ServiceUID: "u1"})
	warned.events = []corev1.Event{
		{InvolvedObject: corev1.ObjectReference{Namespace: "shop", Name: "web"}, Reason: "SyncFailed", Source: corev1.EventSource{Component: "service-controller"}},
		{InvolvedObject: corev1.ObjectReference{Namespace: "shop", Name: "web"}, Reason: "Conflict", Source: corev1.EventSource{Component: "endpoint-slice-controller"}},
	}
	for _, test := range []struct {
		name, want string
		s          state
		atOnce     bool
	}{
		{"fine", "", there(local, true, false), false},
		{"of no Service", "load balancer lb-1 is of no Service", orphan, false},
		{"of a Service of another type", "load balancer lb-1 is of no Service of type LoadBalancer", changed, false},
		{"two", "shop Service web has two load balancers, lb-1 and lb-2", twice, false},
		{"health", "shop Service web: target node-2 is healthy", there(local, true, true), false},
		{"a Warning", "shop Service web got the Warning SyncFailed", warned, true},
	} {
		w, start := newWatch(nil, nil), time.Unix(1e9, 0)
		w.judge(test.s, start)
		if got := w.rest(); len(got) > 0 != test.atOnce {
			t.Errorf("%s: found at once: %v", test.name, got)
		}
		for s := 1; s <= 30; s++ {
			w.judge(test.s, start.Add(time.Duration(s)*time.Second))
		}
		got := strings.Join(w.rest(), "\n")
		if test.want == "" && got != "" || !strings.HasPrefix(got, test.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: found %q, want %q", test.name, got, test.want)
		}
	}
}

// What gets right in time, or was not seen all the time, has not lasted. A long gap is a finding itself.
func TestJudgeForgets(t *testing.T) {
	const local = corev1.ServiceExternalTrafficPolicyLocal
	wrong, right, start := there(local, true, true), there(local, true, false), time.Unix(1e9, 0)
	w := newWatch(nil, nil)
	for s := range 60 {
		now := wrong
		if s%10 == 0 {
			now = right
		}
		w.judge(now, start.Add(time.Duration(s)*time.Second))
	}
	if got := w.rest(); len(got) > 0 {
		t.Errorf("found %v though it got right each time", got)
	}
	w.judge(wrong, start.Add(2*time.Minute))
	w.judge(wrong, start.Add(2*time.Minute+time.Second))
	if got := strings.Join(w.rest(), "\n"); got != "the watch could not look for 61 s" {
		t.Errorf("after a gap: %q", got)
	}
}
