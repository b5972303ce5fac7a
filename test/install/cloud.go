package install

import (
	"context"
	"fmt"
	"net"
	"net/url"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
)

// Cloud is an emulated cloud, or one on this machine, whose machines are the nodes of a cluster.
type Cloud interface {
	Provider() string
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

// Calls are requests to the API of a cloud.
type Calls struct{ Reads, Writes int }

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
		return OpenSim(c)
	case "digitalocean":
		return OpenDigitalOcean(ctx, c)
	case "hcloud":
		return OpenHetzner(ctx, c)
	case "openstack":
		return OpenOpenStack(ctx, c)
	default:
		return nil, fmt.Errorf("opening a cloud: there is no cloud %q here; there are: digitalocean, hcloud, openstack, sim", provider)
	}
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

// named returns a URL of this machine as nodes know it.
func named(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("reading the cloud's address: %w", err)
	}
	u.Host = net.JoinHostPort(cluster.MachineName, u.Port())
	return u.String(), nil
}
