package chart_test

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// look lets the notes look at the cluster.
const look = "advice: {enabled: true}"

const strangers = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: openstack-cloud-controller-manager, namespace: kube-system}
spec:
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: advice-lease, namespace: kube-system}
spec: {holderIdentity: somebody_1}
---
apiVersion: v1
kind: Secret
metadata: {name: halfway, namespace: kube-system}
stringData: {other: x}
`

// With a cluster to ask, the notes say what is wrong in it. Without one they say nothing, and
// nothing in the cluster stops an installation.
func TestAdvice(t *testing.T) {
	c := aCluster(t)
	if err := c.ApplyManifest(within(t), []byte(strangers)); err != nil {
		t.Fatal(err)
	}
	label := map[string]string{"node-role.kubernetes.io/control-plane": "true"}
	for _, node := range []controlplane.NodeOptions{
		{Name: "advice-k3s", ProviderID: "k3s://advice-k3s", Labels: label, Initialized: true},
		{Name: "advice-unaware", Initialized: true, Labels: label},
		{Name: "advice-waiting"},
	} {
		if _, err := c.JoinNode(within(t), node); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct{ values, says string }{
		{"", "Secret kube-system/digitalocean does not exist; the Pod waits for it: kubectl -n kube-system create secret generic digitalocean --from-literal=access-token=..."},
		{"digitalocean: {credentials: {existingSecret: halfway}}", `Secret kube-system/halfway has no key "access-token"`},
		{"", "DaemonSet kube-system/openstack-cloud-controller-manager looks like another cloud controller manager"},
		{"leaderElection: {resourceName: advice-lease}", "The lease kube-system/advice-lease was last held by somebody_1"},
		{"", "belong to another cloud and are never touched: advice-k3s (k3s://advice-k3s)"},
		{"", "neither a provider-ID nor the taint of an uninitialised Node: advice-unaware"},
		{"", "There are 2 control-plane Nodes: with replicaCount=2"},
	}
	for _, tt := range tests {
		values := []string{minimal("digitalocean"), look, tt.values}
		if notes := mustRender(t, release{cluster: c.AdminConfig(), values: values}).notes; !strings.Contains(notes, tt.says) {
			t.Errorf("%s: the notes lack %q:\n%s", tt.values, tt.says, notes)
		}
		if notes := mustRender(t, release{values: values}).notes; strings.Contains(notes, "Found in the cluster") {
			t.Errorf("notes without a cluster:\n%s", notes)
		}
	}
	// A scheme of static.schemes is nobody else's.
	const others = "have provider-IDs of others and are never touched: advice-k3s (k3s://advice-k3s). A scheme that no cloud has, such as k3s and rke2, can be named in static.schemes."
	for values, want := range map[string]bool{"": true, "static: {schemes: [k3s]}": false} {
		notes := mustRender(t, release{cluster: c.AdminConfig(), values: []string{minimal("static"), look, values}}).notes
		if strings.Contains(notes, others) != want || strings.Contains(notes, "Secret") {
			t.Errorf("static with %q:\n%s", values, notes)
		}
	}
	for _, absent := range []string{"advice-waiting", "replicaCount=2", "somebody_1"} {
		notes := mustRender(t, release{cluster: c.AdminConfig(), values: []string{minimal("digitalocean"), look, "replicaCount: 2"}}).notes
		if strings.Contains(notes, absent) {
			t.Errorf("the notes name %s:\n%s", absent, notes)
		}
	}
}

// helm's user may read nothing in the cluster: an installation with the defaults looks at nothing, and its notes name the
// doctor. A refused look cannot be caught in a template.
func TestAdviceOff(t *testing.T) {
	config := aCluster(t).AdminConfig()
	config.Impersonate.UserName = "nobody-special"
	for values, fails := range map[string]bool{"": false, look: true} {
		out, err := render(t, release{cluster: config, values: []string{minimal("digitalocean"), values}})
		if (err != nil) != fails {
			t.Errorf("%q: %v", values, err)
		}
		if !fails && !strings.Contains(out.notes, "`helm test` runs `doctor`") {
			t.Errorf("the notes do not name the doctor:\n%s", out.notes)
		}
	}
}
