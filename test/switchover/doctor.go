package switchover

import (
	"encoding/json"
	"errors"
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

// Check is one check of the doctor's report.
type Check struct {
	ID, Scope, Level, Message, Fix, Link string
	Evidence                             []string
}

func (c Check) String() string {
	return fmt.Sprintf("%s %s: %s\n  evidence: %s\n  fix: %s", c.Level, c.ID, c.Message, strings.Join(c.Evidence, "\n            "), c.Fix)
}

// Checks are those of a report of `doctor -o json`.
func Checks(report string) ([]Check, error) {
	var document struct{ Checks []Check }
	if err := json.Unmarshal([]byte(report), &document); err != nil {
		return nil, fmt.Errorf("the doctor's report: %w", err)
	}
	if len(document.Checks) == 0 {
		return nil, errors.New("the doctor's report has no check")
	}
	return document.Checks, nil
}

// InOrder returns nil when each check is ok, as on a cluster that is in order.
func InOrder(checks []Check) error {
	var all []error
	for _, check := range checks {
		if check.Level != "ok" {
			all = append(all, fmt.Errorf("a cluster in order: %s", check))
		}
	}
	return errors.Join(all...)
}

// Healthy runs the doctor, as an administrator does, on a cluster that is in order. It fails the test
// when a check warns, fails or could not be made.
func (c *Cluster) Healthy() {
	c.t.Helper()
	answer := c.RunAs(c.AdminKubeconfig(), "doctor", "-o", "json", "--patience=1ms")
	checks, err := Checks(answer.Stdout)
	if err != nil || answer.Code != 0 {
		c.t.Fatalf("doctor: code %d: %v: %s%s", answer.Code, err, answer.Stdout, answer.Stderr)
	}
	if err := InOrder(checks); err != nil {
		c.t.Error(err)
	}
}
