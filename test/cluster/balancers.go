package cluster

import (
	"context"
	"fmt"
	"net/netip"
	"os/exec"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
	"github.com/multicloud-ccm/multicloud-ccm/test/process"
)

// The networks of load balancers (RFC 2544) and of their clients (RFC 5737). They are known in the namespaces of a cluster alone, so that all
// clusters of a machine can have the same.
var (
	balancerNetwork = netip.MustParsePrefix("198.19.0.0/16")
	clientNetwork   = netip.MustParsePrefix("198.51.100.0/24")
	client          = clientNetwork.Addr().Next()
	clientRouter    = client.Next()
)

// startPlane makes the switch a router between nodes and clients, which are in a network namespace of their own, and starts the data
// plane of load balancers there. The machine's own routes and firewall stay as they are.
func (c *Cluster) startPlane(ctx context.Context) error {
	holder, err := process.Start(process.Spec{Name: "clients", Dir: c.Dir(), Path: c.pausePath(), Namespaces: process.Network})
	if err != nil {
		return err
	}
	c.clients = namespace{holder: holder, flags: []string{"-n"}}
	s := c.slot
	for _, step := range []struct {
		in   namespace
		args []string
	}{
		{c.hub, []string{"ip", "addr", "add", withBits(s.router(), s.network()), "dev", "bridge"}},
		{c.hub, []string{"ip", "link", "add", "clients", "type", "veth", "peer", "name", "eth0", "netns", strconv.Itoa(holder.PID())}},
		{c.hub, []string{"ip", "addr", "add", withBits(clientRouter, clientNetwork), "dev", "clients"}},
		{c.hub, []string{"ip", "link", "set", "clients", "up"}},
		// Between nodes the switch is a switch: its bridge asks no firewall.
		{c.hub, []string{"sysctl", "-q", "-e", "-w", "net.bridge.bridge-nf-call-iptables=0"}},
		{c.clients, []string{"ip", "link", "set", "lo", "up"}},
		{c.clients, []string{"ip", "addr", "add", withBits(client, clientNetwork), "dev", "eth0"}},
		{c.clients, []string{"ip", "link", "set", "eth0", "up"}},
		{c.clients, []string{"ip", "route", "add", "default", "via", clientRouter.String()}},
	} {
		if _, err := step.in.run(ctx, nil, step.args...); err != nil {
			return fmt.Errorf("connecting clients: %w", err)
		}
	}
	o := plane.Options{
		Run: c.hub.run, Device: "bridge", Network: s.network(), Machine: s.gateway(), Balancers: balancerNetwork, Clients: clientNetwork,
	}
	for i := range c.opts.Nodes {
		o.Nodes = append(o.Nodes, s.nodeAddress(i))
	}
	c.plane, err = plane.Open(ctx, o)
	return err
}

// routeBack tells a node where load balancers and their clients are.
func (c *Cluster) routeBack(ctx context.Context, n *Node) error {
	for _, network := range []netip.Prefix{balancerNetwork, clientNetwork} {
		if _, err := n.Run(ctx, "ip", "route", "replace", network.String(), "via", c.slot.router().String()); err != nil {
			return err
		}
	}
	return nil
}

// Plane returns the data plane of load balancers, nil without [Options.Balancers].
func (c *Cluster) Plane() *plane.Plane { return c.plane }

// BalancerNetwork returns the network of the addresses that the data plane carries. The first one is not used.
func (c *Cluster) BalancerNetwork() netip.Prefix { return balancerNetwork }

// ClientCommand returns a command that runs where clients of load balancers are, outside of the cluster. It reaches load balancers, nodes
// and the API server, and has this machine's files. It ends with this process and with ctx, with all that it has started. The caller keeps
// its thread while it runs, see [process.Bind].
func (c *Cluster) ClientCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "nsenter", c.clients.enter(args)...)
	process.Bind(cmd)
	return cmd
}

func withBits(address netip.Addr, network netip.Prefix) string {
	return netip.PrefixFrom(address, network.Bits()).String()
}
