package doctor_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/switchover"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// ofAccounts is what is only said of a cloud whose API is asked with credentials.
var ofAccounts = regexp.MustCompile(`(?i)\b(account|another project|the cloud has|the cloud's|credentials (see|may)|has the Node's name)\b`)

// Where no API is asked, what is said of the cluster is about Nodes and what can be done, and never about an account.
func TestWithoutAPI(t *testing.T) {
	sky, err := testcloud.Open(t.Context(), "static", testcloud.Options{Progress: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sky.Close() })
	c := switchover.Open(t, switchover.Options{Provider: "static", Binary: cluster.Binary()})
	for _, o := range []controlplane.NodeOptions{
		{Name: "told", ProvidedNodeIP: "192.168.1.5", Ready: true},
		{Name: "mute", Ready: true},
		{Name: "twice", ProviderID: "static://twice", ProvidedNodeIP: "192.168.1.5", Ready: true},
		{Name: "server", ProviderID: "k3s://server", ProvidedNodeIP: "192.168.1.6", Ready: true, Initialized: true},
		{Name: "bare", Ready: true, Initialized: true},
	} {
		if _, err := c.JoinNode(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Client().CoreV1().Services("default").Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string][]string{
		"doctor --patience=1ms": {
			"mute: its kubelet tells no address, because it runs without --node-ip", "twice: the kubelet's --node-ip is 192.168.1.5, which is an address that Node told has",
			"server: its provider-ID k3s://server", "STATIC_SCHEMES (chart: static.schemes)", "others make load balancers", "ServiceLB", "there is no API to ask",
		},
		"plan":                {"static://told (the Node describes its machine itself)", "node mute: neither its kubelet"},
		"explain node told":   {"owner static", "the kubelet's --node-ip", "never deleted"},
		"explain node server": {"owner somebody else", "none of static and STATIC_SCHEMES"},
		"explain node bare":   {"the Node describes none"},
		"explain service web": {"static has no load balancers"},
	} {
		answer := c.RunAs(c.AdminKubeconfig(), strings.Fields(command)...)
		told := answer.Stdout + answer.Stderr
		for line := range strings.Lines(told) {
			if ofAccounts.MatchString(strings.ReplaceAll(line, "service account", "")) {
				t.Errorf("%s says %s", command, line)
			}
		}
		for _, text := range want {
			if !strings.Contains(strings.Join(strings.Fields(told), " "), text) {
				t.Errorf("%s does not say %q:\n%s", command, text, told)
			}
		}
	}
}
