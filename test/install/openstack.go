package install

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	provider "github.com/multicloud-ccm/multicloud-ccm/providers/openstack"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/openstack"
	"github.com/multicloud-ccm/multicloud-ccm/test/openstack/relay"
)

// nodeNetwork is the length of the prefix of the nodes' network.
const nodeNetwork = 24

// OpenStack is a project in the real OpenStack on this machine. Its balancers carry no traffic.
type OpenStack struct {
	*openstack.Project
	// Relay is where nodes reach the APIs, which listen on 127.0.0.1.
	Relay *relay.Relay
	// Servers are the nodes' IDs, by name.
	Servers map[string]string
}

// OpenOpenStack makes a project with a server for each node, and puts the cloud.conf where
// upstream's users have it.
func OpenOpenStack(ctx context.Context, c *cluster.Cluster) (*OpenStack, error) {
	l, err := openstack.Start(ctx, os.Stderr)
	if err != nil {
		return nil, err
	}
	network := netip.PrefixFrom(c.Gateway(), nodeNetwork).Masked()
	o := &OpenStack{Servers: map[string]string{}}
	if o.Project, err = l.OpenProject(ctx, openstack.ProjectOptions{CIDR: network.String()}); err == nil {
		err = errors.Join(o.boot(ctx, c), o.configure(ctx, c))
	}
	if err != nil {
		o.Close() //nolint:contextcheck // cleaning up goes on after ctx's end
		return nil, err
	}
	return o, nil
}

// boot makes the machines of the nodes.
func (o *OpenStack) boot(ctx context.Context, c *cluster.Cluster) error {
	for _, n := range c.Nodes() {
		server, err := o.BootServer(ctx, openstack.ServerOptions{Name: n.Name(), Address: n.Address().String()})
		if err != nil {
			return err
		}
		o.Servers[n.Name()] = server.ID
	}
	return nil
}

func (o *OpenStack) configure(ctx context.Context, c *cluster.Cluster) (err error) {
	if o.Relay, err = relay.Open(c.Gateway().String(), cluster.MachineName); err != nil {
		return err
	}
	return createSecret(ctx, c, "cloud-config", map[string]string{"cloud.conf": o.CloudConf(o.Relay.AuthURL())})
}

// Descriptor implements [Cloud].
func (o *OpenStack) Descriptor() cloud.Descriptor { return provider.Descriptor() }

// Arguments implements [Cloud].
func (o *OpenStack) Arguments() []string { return arguments("openstack") }

// LoadBalancers implements [Cloud]: what there is carries no traffic.
func (o *OpenStack) LoadBalancers() []LoadBalancer { return nil }

// Calls implements [Cloud].
func (o *OpenStack) Calls() Calls { return Calls{} }

// DeleteMachine implements [Cloud].
func (o *OpenStack) DeleteMachine(string) error { return errors.ErrUnsupported }

// Close implements [Cloud]. OpenStack goes on running: others may use it.
func (o *OpenStack) Close() {
	if o.Relay != nil {
		o.Relay.Close()
	}
	if err := o.Project.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "cleaning up in OpenStack:", err)
	}
}
