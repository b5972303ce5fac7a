package cluster

import (
	"context"
	"fmt"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/test/process"
)

// startSwitch connects this machine with a bridge for the nodes. The bridge is in a network
// namespace of its own, so the machine's firewall does not see what nodes tell each other.
func (c *Cluster) startSwitch(ctx context.Context) error {
	holder, err := process.Start(process.Spec{
		Name: "switch", Dir: c.Dir(), Path: c.pausePath(), Namespaces: process.Network,
	})
	if err != nil {
		return err
	}
	c.hub = namespace{holder: holder, flags: []string{"-n"}}
	for _, args := range [][]string{
		{"ip", "link", "set", "lo", "up"},
		{"ip", "link", "add", "bridge", "type", "bridge"},
		{"ip", "link", "set", "bridge", "up"},
	} {
		if _, err := c.hub.run(ctx, nil, args...); err != nil {
			return err
		}
	}
	link, address := c.slot.link(), fmt.Sprintf("%s/%d", c.slot.gateway(), c.slot.network().Bits())
	for _, args := range [][]string{
		{"ip", "link", "add", link, "type", "veth", "peer", "name", "machine", "netns", strconv.Itoa(holder.PID())},
		{"ip", "addr", "add", address, "dev", link},
		{"ip", "link", "set", link, "up"},
	} {
		if err := command(ctx, args...); err != nil {
			return err
		}
	}
	_, err = c.hub.run(ctx, nil, "ip", "link", "set", "machine", "master", "bridge", "up")
	return err
}

// plug connects a node, as its device eth0, with the switch.
func (c *Cluster) plug(ctx context.Context, n *Node) error {
	for _, args := range [][]string{
		{"ip", "link", "add", n.name, "type", "veth", "peer", "name", "eth0", "netns", strconv.Itoa(n.ns.holder.PID())},
		{"ip", "link", "set", n.name, "master", "bridge", "up"},
	} {
		if _, err := c.hub.run(ctx, nil, args...); err != nil {
			return err
		}
	}
	return nil
}
