package route

import (
	"context"
	"net/netip"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Plan returns what the next pass of the route controller would do. It only reads. An error,
// which may be a *BrakeError, says why that pass would do nothing.
//
//	route of List                      operation
//	of a node that has the network     none
//	of nobody, or a black hole         delete
//	missing                            create; blocked while the node has no machine, and in a full network
func (m *Manager) Plan(ctx context.Context) (plan.Plan, error) {
	p := plan.Plan{Cloud: m.Cloud.Name, Subject: "Routes"}
	routes, err := m.List(ctx)
	if err != nil {
		return p, err
	}
	serving := map[routeKey]bool{}
	wanted := m.wanted()
	for _, r := range routes {
		key := routeKey{r.Node, r.Destination}
		if _, ok := wanted[key]; ok && !r.Blackhole {
			serving[key] = true
			continue
		}
		if m.concerned(cloud.Route{Destination: r.Destination}) {
			p.Operations = append(p.Operations, m.deletion(r))
		}
	}
	room := m.room() + len(p.Operations)
	for _, node := range m.Nodes() {
		for _, cidr := range podCIDRs(node) {
			if !serving[routeKey{node.Name, cidr}] {
				op := m.creation(node, cidr)
				if full := m.fullWith(room); full != nil && op.Blocked == "" {
					op.Blocked = full.Error()
				}
				room--
				p.Operations = append(p.Operations, op)
			}
		}
	}
	return p, nil
}

// routeKey says which route of which node is meant.
type routeKey struct {
	node        string
	destination netip.Prefix
}

func (m *Manager) wanted() map[routeKey]struct{} {
	wanted := map[routeKey]struct{}{}
	for _, node := range m.Nodes() {
		for _, cidr := range podCIDRs(node) {
			wanted[routeKey{node.Name, cidr}] = struct{}{}
		}
	}
	return wanted
}

func (m *Manager) deletion(r Route) cloud.Operation {
	m.mu.Lock()
	actual := m.listed[identity{r.Name, r.Destination}]
	m.mu.Unlock()
	op := operation(cloud.Delete, actual, r.Node)
	op.Reason = "no node of this cluster has this pod network"
	if r.Blackhole {
		op.Reason = "its machine is gone"
	}
	return op
}

func (m *Manager) creation(node *corev1.Node, destination netip.Prefix) cloud.Operation {
	id, err := m.Machines.ProviderID(node)
	op := operation(cloud.Create, cloud.Route{Destination: destination, Target: id}, node.Name)
	op.Reason = "the node has this pod network"
	if err != nil {
		op.After, op.Blocked = node.Name, err.Error()
	}
	return op
}
