package doctor

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
)

// offline are the facts of a cluster whose provider asks nobody.
func offline(t *testing.T, nodes ...*corev1.Node) *facts {
	t.Helper()
	c := fake(describing{})
	c.Balancers, c.Descriptor.Capabilities.Balancers = nil, false
	c.Descriptor.Offline, c.Descriptor.SchemesSetting = true, "FAKE_SCHEMES"
	c.Descriptor.Settings = []cloud.Setting{{Name: "FAKE_SCHEMES", Value: "schemes"}}
	f := &facts{Options: Options{Cloud: c, Patience: DefaultPatience}, now: now}
	f.nodes.value, f.sky.machines, f.sky.account = nodes, map[cloud.InstanceID]cloud.Instance{}, cloud.Identity{Unknown: true}
	f.sky.match(t.Context(), f.Options, nodes)
	return f
}

// Nothing is said about an account where there is none, and no machine is missed.
func TestWithoutAPI(t *testing.T) {
	f := offline(t)
	for _, check := range cloudChecks() {
		if o := check.outcome(f); o.Level != OK || o.Message != noAPI && check.ID != "deletion-brake" {
			t.Errorf("%s: %+v", check.ID, o)
		}
	}
	for _, check := range nodeChecks() {
		if o := check.outcome(f); o.Level != OK || strings.Contains(o.Message, "no machine is gone") {
			t.Errorf("%s: %+v", check.ID, o)
		}
	}
	var text strings.Builder
	if err := f.report().Text(&text, layout.Page{}); err != nil || strings.Count(text.String(), noAPI) != 1 || strings.Contains(text.String(), "account") {
		t.Errorf("%v: %s", err, text.String())
	}
}

// A kubelet that tells no address is named, and so is a scheme that can be looked after.
func TestNodesWithoutAPI(t *testing.T) {
	addressed := func(n *corev1.Node, list ...corev1.NodeAddress) *corev1.Node {
		n.Status.Addresses = list
		return n
	}
	named, reached := corev1.NodeAddress{Type: corev1.NodeHostName, Address: "one"}, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: "10.0.0.1"}
	const taint = "node.cloudprovider.kubernetes.io/uninitialized"
	for name, tt := range map[string]struct {
		node *corev1.Node
		id   string
		says []string
	}{
		"a host name alone":        {addressed(node("one", "", time.Hour, taint), named), "node-address-unknown", []string{"one: its kubelet tells no address", "a --node-ip of its own"}},
		"an address":               {addressed(node("one", "", time.Hour, taint), named, reached), "node-address-unknown", nil},
		"a young one":              {addressed(node("one", "", time.Minute, taint), named), "node-address-unknown", nil},
		"an initialised one":       {addressed(node("one", "fake://one", time.Hour), named), "node-address-unknown", nil},
		"of k3s":                   {addressed(node("one", "k3s://one", time.Hour), named, reached), "node-provider-id-foreign", []string{"1 Node that fake does not look after", "k3s://one", "FAKE_SCHEMES (chart: fake.schemes)"}},
		"of a cloud that is there": {addressed(node("one", "aws:///zone/i-1", time.Hour), reached), "node-provider-id-foreign", nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := offline(t, tt.node)
			r, _ := f.report().Find(tt.id)
			all := strings.Join(slices.Concat([]string{r.Message}, r.Evidence, []string{r.Fix}), "; ")
			if (r.Level == Failure) != (tt.says != nil) {
				t.Errorf("%s: %s", r.Level, all)
			}
			for _, text := range tt.says {
				if !strings.Contains(all, text) {
					t.Errorf("%q is not said: %s", text, all)
				}
			}
		})
	}
}
