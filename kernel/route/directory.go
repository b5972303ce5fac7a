package route

import (
	"net/netip"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// directory is what the nodes say about who has which pod network.
type directory struct {
	size int
	byID map[cloud.InstanceID]*corev1.Node
	// wanted is the machine each pod network belongs to, "" while its node's provider-ID
	// is not known.
	wanted map[netip.Prefix]cloud.InstanceID
}

func newDirectory(nodes []*corev1.Node, machines Machines, scope cloud.RouteScope) directory {
	d := directory{
		size:   len(nodes),
		byID:   make(map[cloud.InstanceID]*corev1.Node, len(nodes)),
		wanted: make(map[netip.Prefix]cloud.InstanceID, len(nodes)),
	}
	for _, node := range nodes {
		id, err := machines.ProviderID(node)
		if err != nil || id.Described() || scope != nil && !scope.RoutesTo(id) {
			id = "" // no route of ours leads to what only its Node describes, or to what is not in the network
		} else {
			d.byID[id] = node
		}
		for _, cidr := range podCIDRs(node) {
			d.wanted[cidr] = id
		}
	}
	return d
}

// nodeName is the name of the machine's node, "" where none has it.
func (d directory) nodeName(id cloud.InstanceID) string {
	if node := d.byID[id]; node != nil {
		return node.Name
	}
	return ""
}

// undecided says that the node of the route's destination is there but not which machine it
// is. Such a route is kept out of the list: shown without a node it would be deleted.
func (d directory) undecided(route cloud.Route) bool {
	id, ok := d.wanted[route.Destination]
	return ok && id == ""
}

// wants says that the route is what some node wants.
func (d directory) wants(route cloud.Route) bool {
	id, ok := d.wanted[route.Destination]
	return ok && id != "" && id == route.Target
}

// doomed says that the route controller will delete the route: no node accounts for it.
func (d directory) doomed(route cloud.Route) bool {
	id, ok := d.wanted[route.Destination]
	return !ok || id != "" && id != route.Target
}

func podCIDRs(node *corev1.Node) []netip.Prefix {
	given := node.Spec.PodCIDRs
	if len(given) == 0 && node.Spec.PodCIDR != "" {
		given = []string{node.Spec.PodCIDR}
	}
	var cidrs []netip.Prefix
	for _, text := range given {
		if cidr, err := netip.ParsePrefix(text); err == nil {
			cidrs = append(cidrs, cidr.Masked())
		}
	}
	return cidrs
}
