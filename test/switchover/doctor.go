package switchover

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/lab"
)

// manifest is what the chart installs, as far as the doctor looks at it.
const manifest = `apiVersion: apps/v1
kind: Deployment
metadata: {namespace: %[1]s, name: multicloud-ccm}
spec:
  selector: {matchLabels: {app: multicloud-ccm}}
  template:
    metadata: {labels: {app: multicloud-ccm}}
    spec:
      serviceAccountName: %[2]s
      hostNetwork: true
      containers: [{name: manager, image: "ghcr.io/multicloud-ccm/multicloud-ccm:v1", args: [%[3]s]}]
`

// Install makes what a healthy cluster has beside its Nodes: the Deployment of the controller manager,
// which Switch runs, its Pod, a DNS and an API server that are Pods on the Node. The kubelet's words
// about the Pods are written as it writes them.
func (c *Cluster) Install(node string) {
	c.t.Helper()
	var args []string
	for _, arg := range append([]string{"--cloud-provider=" + c.o.Provider, "--leader-elect=true"}, c.o.Args...) {
		args = append(args, fmt.Sprintf("%q", arg))
	}
	c.must(c.ApplyManifest(c.within(patience), fmt.Appendf(nil, manifest, lab.Namespace, lab.ServiceAccount, strings.Join(args, ", "))))
	c.pod(node, "multicloud-ccm-0", map[string]string{"app": "multicloud-ccm"})
	c.pod(node, "coredns-0", map[string]string{"k8s-app": "kube-dns"})
	c.pod(node, "kube-apiserver-0", map[string]string{"component": "kube-apiserver"}, "kube-apiserver", "--authorization-mode=Node,RBAC")
}

// pod makes a Pod that runs and is Ready.
func (c *Cluster) pod(node, name string, labels map[string]string, command ...string) {
	c.t.Helper()
	pods := c.Client().CoreV1().Pods(lab.Namespace)
	pod, err := pods.Create(c.within(patience), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: corev1.PodSpec{
			NodeName: node, ServiceAccountName: lab.ServiceAccount, HostNetwork: true, DNSPolicy: corev1.DNSDefault,
			Containers: []corev1.Container{{Name: "main", Image: "image", Command: command}},
		},
	}, metav1.CreateOptions{})
	c.must(err)
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}, {Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
	_, err = pods.UpdateStatus(c.within(patience), pod, metav1.UpdateOptions{})
	c.must(err)
}

// Healthy runs the doctor, as an administrator does, on a cluster that is in order. It fails the test
// when a check warns, fails or could not be made.
func (c *Cluster) Healthy() {
	c.t.Helper()
	answer := c.RunAs(c.AdminKubeconfig(), "doctor", "-o", "json", "--patience=1ms")
	var report struct {
		Checks []struct {
			ID, Level, Message string
			Evidence           []string
		}
	}
	if err := json.Unmarshal([]byte(answer.Stdout), &report); err != nil {
		c.t.Fatalf("doctor: code %d: %v: %s%s", answer.Code, err, answer.Stdout, answer.Stderr)
	}
	if answer.Code != 0 || len(report.Checks) == 0 {
		c.t.Errorf("doctor: code %d with %d checks, want 0 and some: %s", answer.Code, len(report.Checks), answer.Stderr)
	}
	for _, check := range report.Checks {
		if check.Level != "ok" {
			c.t.Errorf("a cluster in order: %s %s: %s %q", check.Level, check.ID, check.Message, check.Evidence)
		}
	}
}
