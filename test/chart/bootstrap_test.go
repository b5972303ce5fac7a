package chart_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// start are the taints of a control-plane node in a cluster that has just been made: no cloud
// controller manager, no network, no routes.
var start = []corev1.Taint{
	{Key: "node.cloudprovider.kubernetes.io/uninitialized", Value: "true", Effect: corev1.TaintEffectNoSchedule},
	{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule},
	{Key: "node-role.kubernetes.io/control-plane", Value: "true", Effect: corev1.TaintEffectNoExecute},
	{Key: "node-role.kubernetes.io/master", Effect: corev1.TaintEffectNoSchedule},
	{Key: "node.kubernetes.io/not-ready", Effect: corev1.TaintEffectNoSchedule},
	{Key: "node.kubernetes.io/not-ready", Effect: corev1.TaintEffectNoExecute},
	{Key: "node.kubernetes.io/network-unavailable", Effect: corev1.TaintEffectNoSchedule},
	{Key: "node.kubernetes.io/unreachable", Effect: corev1.TaintEffectNoExecute},
	{Key: "CriticalAddonsOnly", Value: "true", Effect: corev1.TaintEffectNoExecute},
}

// Nothing the cluster waits for a cloud controller manager with keeps it out, whatever the
// user adds.
func TestStartsInAnEmptyCluster(t *testing.T) {
	for name, values := range variations() {
		spec := mustRender(t, release{values: values}).pod(t).Spec
		for _, taint := range start {
			if !tolerated(spec.Tolerations, taint) {
				t.Errorf("%s: %s:%s keeps the Pod out", name, taint.Key, taint.Effect)
			}
		}
		if tolerated(spec.Tolerations, corev1.Taint{Key: "somebody.example/else", Effect: corev1.TaintEffectNoSchedule}) {
			t.Errorf("%s: tolerates everything", name)
		}
	}
	etcd := corev1.Taint{Key: "node-role.kubernetes.io/etcd", Effect: corev1.TaintEffectNoExecute}
	for platform, want := range map[string]bool{"rke2": true, "kubeadm": false} {
		spec := mustRender(t, release{values: []string{minimal("sim"), "platform: " + platform}}).pod(t).Spec
		if tolerated(spec.Tolerations, etcd) != want {
			t.Errorf("%s tolerates etcd: %t", platform, !want)
		}
	}
}

// A Node that is gone does not keep its Pod for ever: the standby's place is needed.
func TestLeavesUnreachableNodes(t *testing.T) {
	for _, toleration := range mustRender(t, release{values: []string{minimal("sim")}}).pod(t).Spec.Tolerations {
		if toleration.Key == "node.kubernetes.io/unreachable" && toleration.TolerationSeconds == nil {
			t.Error("the Pod stays on an unreachable Node for ever")
		}
	}
}

func tolerated(tolerations []corev1.Toleration, taint corev1.Taint) bool {
	return slices.ContainsFunc(tolerations, func(toleration corev1.Toleration) bool {
		return (toleration.Key == "" || toleration.Key == taint.Key) &&
			(toleration.Effect == "" || toleration.Effect == taint.Effect) &&
			(toleration.Operator == corev1.TolerationOpExists || toleration.Value == taint.Value)
	})
}

func node(labels map[string]string) *corev1.Node {
	n := &corev1.Node{}
	n.Name, n.Labels = "n", map[string]string{"kubernetes.io/os": "linux"}
	maps.Copy(n.Labels, labels)
	return n
}

// Distributions give the label different values: "", "true".
func TestPlacement(t *testing.T) {
	const label = "node-role.kubernetes.io/control-plane"
	tests := []struct {
		name, values string
		labels       map[string]string
		fits         bool
	}{
		{"kubeadm's label", "", map[string]string{label: ""}, true},
		{"k3s's label", "", map[string]string{label: "true"}, true},
		{"worker", "", nil, false},
		{"worker, allowed", "controlPlane: {required: false}", nil, true},
		{"another system", "controlPlane: {required: false}", map[string]string{"kubernetes.io/os": "windows"}, false},
		{"own terms, both", twoTerms, map[string]string{label: "", "disk": "ssd"}, true},
		{"own terms, second", twoTerms, map[string]string{label: "", "zone": "b"}, true},
		{"own terms, worker", twoTerms, map[string]string{"disk": "ssd"}, false},
		{"own terms, none", twoTerms, map[string]string{label: ""}, false},
	}
	for _, tt := range tests {
		for _, kind := range []string{"Deployment", "DaemonSet"} {
			pod := &corev1.Pod{Spec: mustRender(t, release{values: []string{minimal("sim"), "kind: " + kind, tt.values}}).pod(t).Spec}
			fits, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node(tt.labels))
			if err != nil || fits != tt.fits {
				t.Errorf("%s, %s: fits %t, %v", tt.name, kind, fits, err)
			}
		}
	}
}

const twoTerms = `
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions: [{key: disk, operator: In, values: [ssd]}]
      - matchExpressions: [{key: zone, operator: In, values: [b]}]
`

// Before there is a network, the node's is used, with its resolver, and the API server's own
// address where the platform is known to have one.
func TestNetwork(t *testing.T) {
	spec := mustRender(t, release{values: []string{minimal("sim")}}).pod(t).Spec
	if !spec.HostNetwork || spec.DNSPolicy != corev1.DNSDefault || spec.PriorityClassName != "system-cluster-critical" {
		t.Errorf("host network %t, DNS %s, priority %s", spec.HostNetwork, spec.DNSPolicy, spec.PriorityClassName)
	}
	tests := []struct{ values, host, port string }{
		{"", "", ""},
		{"platform: kubeadm", "@status.hostIP", "6443"},
		{"platform: k3s", "127.0.0.1", "6443"},
		{"platform: rke2", "127.0.0.1", "6443"},
		{"platform: talos", "127.0.0.1", "7445"},
		{"platform: k0s", "", ""},
		{"platform: kops", "", ""},
		{"{platform: talos, controlPlane: {required: false}}", "127.0.0.1", "7445"},
		{"{platform: k3s, controlPlane: {required: false}}", "", ""},
		{"{platform: k3s, hostNetwork: false}", "", ""},
		{"{platform: k3s, apiServer: {mode: service}}", "", ""},
		{"{platform: kops, apiServer: {mode: localhost}}", "127.0.0.1", "443"},
		{"apiServer: {mode: localhost}", "127.0.0.1", "6443"},
		{"apiServer: {mode: node, port: 16443}", "@status.hostIP", "16443"},
		{"apiServer: {mode: explicit, host: api.example, port: 443}", "api.example", "443"},
	}
	for _, tt := range tests {
		env := mustRender(t, release{values: []string{minimal("sim"), tt.values}}).env(t)
		if env["KUBERNETES_SERVICE_HOST"] != tt.host || env["KUBERNETES_SERVICE_PORT"] != tt.port {
			t.Errorf("%s: %q:%q, want %q:%q", tt.values, env["KUBERNETES_SERVICE_HOST"], env["KUBERNETES_SERVICE_PORT"], tt.host, tt.port)
		}
	}
}

// Two Pods cannot have the same port of a node: nothing may be started before its
// predecessor has gone.
func TestRollout(t *testing.T) {
	for _, tt := range []struct {
		kind, field, values string
		surge, unavailable  int64
	}{
		{"Deployment", "strategy", "", 0, 1},
		{"Deployment", "strategy", "hostNetwork: false", 1, 0},
		{"DaemonSet", "updateStrategy", "", 0, 1},
		{"DaemonSet", "updateStrategy", "hostNetwork: false", 1, 0},
	} {
		out := mustRender(t, release{values: []string{minimal("sim"), "kind: " + tt.kind, tt.values}})
		spec := out.find(tt.kind, "").Object["spec"].(map[string]any)
		got := fmt.Sprint(spec[tt.field].(map[string]any)["rollingUpdate"])
		if want := fmt.Sprintf("map[maxSurge:%d maxUnavailable:%d]", tt.surge, tt.unavailable); got != want {
			t.Errorf("%s %s: %s, want %s", tt.kind, tt.values, got, want)
		}
	}
}
