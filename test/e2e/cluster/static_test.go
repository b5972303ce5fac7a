package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/install"
)

// staticLease is the lease of the second CCM.
const staticLease = "cloud-controller-manager-static"

// A machine that no API knows joins a cluster of another cloud: its kubelet has --node-ip and --provider-id, a second CCM with a lease of
// its own and an inventory initialises the Node, and a pod runs on it. The first one leaves it alone, although it has a machine of that name.
func TestStaticNodeBesideAnotherCloud(t *testing.T) {
	const providerID = "static://rack-7"
	c := start(t, cluster.Options{Nodes: 1, KubeletArgs: []string{"--provider-id=" + providerID}})
	n := c.Nodes()[0]
	cloud := world.New(world.Options{})
	_, err := cloud.AddMachine(api.Machine{Name: n.Name(), Addresses: []api.Address{{Kind: api.AddressPrivate, IP: n.Address().String()}}})
	must(t, err)
	server, err := cloud.Start("127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = server.Close() })
	binary, err := ccm.Build(within(t, startLimit), ccm.BuildOptions{Dir: t.TempDir(), Providers: []string{"sim", "static"}})
	must(t, err)
	beside(t, c, ccm.Options{Binary: binary, Provider: "sim", Env: []string{"SIM_ENDPOINT=" + server.URL}})
	held(t, c, lease)
	file := filepath.Join(t.TempDir(), "inventory.yaml")
	must(t, os.WriteFile(file, fmt.Appendf(nil, "apiVersion: static.multicloud-ccm.io/v1\nkind: Inventory\nmachines:\n- {name: %s, zone: cellar, labels: {disk: hdd}}\n", n.Name()), 0o600))
	beside(t, c, ccm.Options{Binary: binary, Provider: "static", Args: []string{"--cloud-config=" + file, "--leader-elect-resource-name=" + staticLease}})
	held(t, c, staticLease)

	node := initialised(t, c, n.Name())
	own := corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: n.Address().String()}
	if node.Spec.ProviderID != providerID || node.Labels[corev1.LabelTopologyZone] != "cellar" || node.Labels["disk"] != "hdd" || !slices.Contains(node.Status.Addresses, own) {
		t.Errorf("it is %s in zone %q at %v", node.Spec.ProviderID, node.Labels[corev1.LabelTopologyZone], node.Status.Addresses)
	}
	runs(t, c)
}

// beside starts a CCM on this machine, and ends it with the test.
func beside(t *testing.T, c *cluster.Cluster, o ccm.Options) {
	t.Helper()
	o.Kubeconfig, o.Dir, o.Name, o.Args = c.AdminKubeconfig(), t.TempDir(), o.Provider, append(o.Args, "--leader-elect=true")
	p, err := ccm.Start(o)
	must(t, err)
	t.Cleanup(func() {
		if err := p.Stop(within(t, patience)); err != nil || t.Failed() {
			t.Errorf("the CCM of %s: %v; end of its log:\n%s", o.Provider, err, p.Tail())
		}
	})
}

// held waits until somebody holds a lease.
func held(t *testing.T, c *cluster.Cluster, name string) {
	t.Helper()
	eventually(t, func(ctx context.Context) error {
		lease, err := c.Client().CoordinationV1().Leases(install.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil && (lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "") {
			err = errors.New("nobody holds the lease")
		}
		return err
	})
}

// runs starts a pod that tolerates nothing, and waits until it is ready.
func runs(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	pods := c.Client().CoreV1().Pods(metav1.NamespaceDefault)
	eventually(t, func(ctx context.Context) error { // the ServiceAccount may come later
		_, err := pods.Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "echo"},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "echo", Image: "multicloud-ccm.test/echo:1", ImagePullPolicy: corev1.PullNever}}},
		}, metav1.CreateOptions{})
		return err
	})
	eventually(t, func(ctx context.Context) error {
		pod, err := pods.Get(ctx, "echo", metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("reading the pod: %w", err)
		}
		return podReady(*pod)
	})
}
