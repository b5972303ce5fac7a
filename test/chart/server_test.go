package chart_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func monitors(kind string) schema.GroupKind {
	return schema.GroupKind{Group: "monitoring.coreos.com", Kind: kind}
}

// A real API server accepts every object, its Pod included, and knows every field.
func TestServerAccepts(t *testing.T) {
	c := aCluster(t)
	c.namespace(t, "monitoring", nil)
	c.account(t, "kube-system", "multicloud-ccm")
	c.account(t, "kube-system", "multicloud-ccm-doctor")
	c.account(t, "kube-system", "robot")
	for name, values := range variations() {
		out := mustRender(t, release{values: values})
		for _, object := range out.objects {
			if err := c.apply(within(t), object, true); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		pod := podOf(out.pod(t), "kube-system")
		if _, err := c.Client().CoreV1().Pods(pod.Namespace).Create(within(t), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
			t.Errorf("%s: Pod: %v", name, err)
		}
	}
}

// Off the host network, the Pod keeps the strictest of Kubernetes' Pod security standards.
func TestServerTakesThePodAsRestricted(t *testing.T) {
	c := aCluster(t)
	c.namespace(t, "strict", map[string]string{"pod-security.kubernetes.io/enforce": "restricted"})
	c.account(t, "strict", "multicloud-ccm")
	for _, provider := range providerNames() {
		for values, accepted := range map[string]bool{"hostNetwork: false": true, "hostNetwork: true": false} {
			out := mustRender(t, release{namespace: "strict", values: []string{minimal(provider), values}})
			pod := podOf(out.pod(t), "strict")
			_, err := c.Client().CoreV1().Pods("strict").Create(within(t), pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			switch {
			case accepted && err != nil:
				t.Errorf("%s, %s: %v", provider, values, err)
			case !accepted && err == nil:
				t.Errorf("%s, %s: accepted, so the check checks nothing", provider, values)
			case !accepted && strings.Contains(err.Error(), "seccomp"):
				t.Errorf("%s, %s: refused for more than the host network: %v", provider, values, err)
			}
		}
	}
}
