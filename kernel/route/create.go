package route

import (
	"context"
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Create sends a pod network to a node. Where the network holds no more routes, or the cloud has refused the same one, it asks
// the cloud nothing: see Held.
func (m *Manager) Create(ctx context.Context, name string, destination netip.Prefix) error {
	ctx = cloud.WithPriority(ctx, cloud.PriorityNodeInit)
	node, target, err := m.target(name)
	if err != nil {
		return fmt.Errorf("creating route %s: %w", destination, err)
	}
	route := cloud.Route{Destination: destination.Masked(), Target: target, NodeUID: string(node.UID)}
	key, input := routeKey{name, route.Destination}, ""
	err = m.write(ctx, operation(cloud.Create, route, name), func(ctx context.Context) (err error) {
		if route.NextHop, err = m.nextHop(ctx, route); err != nil {
			return fmt.Errorf("creating route %s: %w", route.Destination, err)
		}
		input = inputOf(route, node)
		return m.create(ctx, route, key, input)
	})
	if input != "" { // an operation may have failed after the answer
		err = m.refusals.note(key, input, err)
	}
	m.tellHeld(node, route.Destination, err)
	return err
}

// create asks the cloud for a route, unless it is of no use.
func (m *Manager) create(ctx context.Context, route cloud.Route, key routeKey, input string) error {
	present, more := m.present(route), 0
	if !present {
		more = 1
		if err := m.fullWith(m.room()); err != nil {
			return err
		}
	}
	if err := m.refusals.holds(key, input, !present); err != nil {
		return err
	}
	return m.refusals.note(key, input, m.count(more, m.Cloud.Routes.CreateRoute(ctx, m.owner, route)))
}

// target returns a Node, and its machine.
func (m *Manager) target(name string) (*corev1.Node, cloud.InstanceID, error) {
	for _, node := range m.Nodes() {
		if node.Name == name {
			id, err := m.Machines.ProviderID(node)
			return node, id, err
		}
	}
	return nil, "", fmt.Errorf("node %q is not one of cloud %q", name, m.Cloud.Name)
}
