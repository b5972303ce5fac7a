package doctor_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/switchover"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// A cluster in order says nothing, to an administrator and with the controller manager's own rights.
func TestHealthy(t *testing.T) {
	w := newWorld(t)
	w.silent(visit{})
	var lacked []string
	for _, r := range w.doctor(visit{kubeconfig: w.Kubeconfig(), provider: "digitalocean"}) {
		switch {
		case r.Level == skipped && strings.Contains(r.Message, "may not"):
			lacked = append(lacked, r.ID)
		case r.Level != ok:
			t.Errorf("with the controller manager's rights: %s", r)
		}
	}
	t.Logf("with the controller manager's rights %d checks say what they would need: %v", len(lacked), lacked)
}

// Clusters in order on other emulators say nothing. Those on AWS and OpenStack are in the tests of their
// recorded sessions.
func TestHealthyClouds(t *testing.T) {
	for _, name := range []string{"gce", "sim", "static"} {
		t.Run(name, func(t *testing.T) { healthyOn(t, name) })
	}
}

// healthyOn has new Nodes, and a Service where the cloud has load balancers, served by the controller
// manager before the doctor looks.
func healthyOn(t *testing.T, name string) {
	sky, err := testcloud.Open(t.Context(), name, testcloud.Options{Progress: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sky.Close() })
	var env []string
	for key, value := range sky.Env() {
		env = append(env, key+"="+value)
	}
	c := switchover.Open(t, switchover.Options{Provider: name, Env: env, Args: sky.Args(), Secret: sky.Secret(), Binary: cluster.Binary()})
	machines, err := sky.Seed(t.Context(), 2, testcloud.Machine{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range machines {
		o := m.Node()
		o.Ready = true
		if _, err := c.JoinNode(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	if sky.Facts().Can(testcloud.Balancers) {
		c.Apply(&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: "web"},
			Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80, Protocol: corev1.ProtocolTCP}}},
		})
	}
	c.Install(machines[0].Name)
	c.Switch("--leader-elect=true")
	if err := controlplane.Eventually(limited(t), func(ctx context.Context) error { return known(ctx, c, machines) }); err != nil {
		t.Fatal(err)
	}
	c.Healthy()
}

func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeoutCause(t.Context(), limit, fmt.Errorf("not within %s", limit))
	t.Cleanup(cancel)
	return ctx
}

// known returns nil when each machine's Node has its provider-ID.
func known(ctx context.Context, c *switchover.Cluster, machines []testcloud.Machine) error {
	for _, m := range machines {
		node, err := c.Client().CoreV1().Nodes().Get(ctx, m.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if node.Spec.ProviderID != m.ProviderID {
			return fmt.Errorf("node %s has the provider-ID %q, want %q", m.Name, node.Spec.ProviderID, m.ProviderID)
		}
	}
	return nil
}
