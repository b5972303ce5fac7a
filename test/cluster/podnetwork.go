package cluster

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// AddPodNetwork does what a network add-on does: each node gets a bridge for the range of
// pods that the control plane gave it, and routes to the others'. It waits for the nodes to
// register and to be given a range; they become Ready some seconds later.
func (c *Cluster) AddPodNetwork(ctx context.Context) error {
	ranges := map[*Node]string{}
	for _, n := range c.nodes {
		node, err := c.WaitNode(ctx, n.name, func(node *corev1.Node) error {
			if node == nil || node.Spec.PodCIDR == "" {
				return errors.New("the node has no range of pods yet")
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("connecting pods: %w; %s", err, n.tails())
		}
		ranges[n] = node.Spec.PodCIDR
	}
	for _, n := range c.nodes {
		if err := n.connectPods(ctx, ranges); err != nil {
			return err
		}
	}
	return nil
}

// connectPods connects the pods of a node with the rest of the world.
func (n *Node) connectPods(ctx context.Context, ranges map[*Node]string) error {
	own := ranges[n]
	for other, pods := range ranges {
		if other == n {
			continue
		}
		if _, err := n.Run(ctx, "ip", "route", "replace", pods, "via", other.address.String()); err != nil {
			return err
		}
	}
	// Nobody outside knows pods, so there they speak with the address of their node.
	_, err := n.Run(ctx, "iptables", "-t", "nat", "-A", "POSTROUTING", "-s", own, "!", "-d", podRange, "-j", "MASQUERADE")
	if err != nil {
		return err
	}
	// In one write, in place: containerd watches the folder for files that are written, and
	// misses one that is moved into it.
	return writeConfig(n.lib("cni/net.d/bridge.conflist"), "bridge.conflist", map[string]string{"POD_RANGE": own})
}
