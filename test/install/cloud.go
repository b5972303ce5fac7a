package install

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
)

// Cloud is an emulated cloud, or one on this machine, whose machines are the nodes of a cluster.
type Cloud interface {
	// Descriptor is that of the provider, with its name and what the cloud can do.
	Descriptor() cloud.Descriptor
	// Arguments tell helm of the cloud.
	Arguments() []string
	// LoadBalancers returns all there are. They check their targets again at about this time.
	LoadBalancers() []LoadBalancer
	// Calls counts what was asked about load balancers, since the cloud was opened.
	Calls() Calls
	// DeleteMachine deletes the machine of a node.
	DeleteMachine(node string) error
	Close()
}

// Calls are requests to the API of a cloud about load balancers.
type Calls struct {
	Reads  int `json:"reads"`
	Writes int `json:"writes"`
}

func (c Calls) String() string {
	return fmt.Sprintf("%d writes and %d reads of load balancers", c.Writes, c.Reads)
}

// LoadBalancer is what the cloud says of one, for the data plane of the cluster and for tests.
type LoadBalancer struct {
	ID string
	// ServiceUID is that of the Service whose it is, from its ownership tags.
	ServiceUID string
	// Active says that it works, and is not being made or deleted.
	Active bool
	// Healthy says which of its targets pass its health check, by the name of the node.
	Healthy   map[string]bool
	Listeners []plane.Listener
}

// Open starts the cloud of a provider for the nodes of a cluster, with the Secret that the
// chart looks for.
func Open(ctx context.Context, provider string, c *cluster.Cluster) (Cloud, error) {
	switch provider {
	case "sim":
		return opened(OpenSim(c))
	case "digitalocean":
		return opened(OpenDigitalOcean(ctx, c))
	case "hcloud":
		return opened(OpenHetzner(ctx, c))
	case "openstack":
		return opened(OpenOpenStack(ctx, c))
	default:
		return nil, fmt.Errorf("opening a cloud: there is no cloud %q here; there are: %s", provider, strings.Join(Clouds(), ", "))
	}
}

// Clouds are the providers that Open knows.
func Clouds() []string { return []string{"digitalocean", "hcloud", "openstack", "sim"} }

// opened returns nothing that is not nil with an error, as a nil pointer would be.
func opened[C Cloud](c C, err error) (Cloud, error) {
	if err != nil {
		return nil, err
	}
	return c, nil
}

// createSecret makes the Secret that the chart looks for, where upstream's users have it.
func createSecret(ctx context.Context, c *cluster.Cluster, name string, data map[string]string) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: data}
	if _, err := c.Client().CoreV1().Secrets(Namespace).Create(ctx, secret, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("making the Secret %s: %w", name, err)
	}
	return nil
}

// CarriesUDP reports whether the load balancers of a cloud do.
func CarriesUDP(c Cloud) bool {
	return slices.Contains(c.Descriptor().Capabilities.Protocols, cloud.ProtocolUDP)
}

// LabelControlPlane makes nodes of the control plane, where the chart's pods run.
func LabelControlPlane(ctx context.Context, c *cluster.Cluster) error {
	for _, n := range c.Nodes() {
		const patch = `{"metadata":{"labels":{"node-role.kubernetes.io/control-plane":""}}}`
		_, err := c.Client().CoreV1().Nodes().Patch(ctx, n.Name(), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("labelling %s: %w", n.Name(), err)
		}
	}
	return nil
}

// Pods returns the pods of the release.
func Pods(ctx context.Context, c *cluster.Cluster) ([]corev1.Pod, error) {
	pods, err := c.Client().CoreV1().Pods(Namespace).List(ctx, metav1.ListOptions{LabelSelector: Selector})
	if err != nil {
		return nil, fmt.Errorf("listing the pods of the release: %w", err)
	}
	return pods.Items, nil
}

// arguments are what all clouds have in common.
func arguments(provider string, sets ...string) []string {
	args := []string{"--set", "provider=" + provider, "--set", "clusterName=real"}
	for _, set := range sets {
		args = append(args, "--set", set)
	}
	return args
}

// doorway is where a cloud listens, so that nodes reach it.
func doorway(c *cluster.Cluster) string { return net.JoinHostPort(c.Gateway().String(), "0") }

// named returns a URL below the doorway as nodes know it.
func named(c *cluster.Cluster, url string) string {
	return strings.Replace(url, c.Gateway().String(), cluster.MachineName, 1)
}
