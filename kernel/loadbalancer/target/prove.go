package target

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Prove returns the candidates with those of the targets that may go:
//
//	target                                          may go
//	of a Node that balancers must not have: it is   yes
//	 excluded by label, being deleted, opted out,
//	 another cloud's, or not selected
//	of a machine that the cloud certainly has not,  yes
//	 seen with the right credentials
//	at an address that no machine has, in a list    yes
//	 that is believed, with the right credentials
//	of a machine that is there, without a Node      no: nothing says that it does not serve
//	of a Node that asks for it but is not eligible  no: it serves in spite of that
//	while the cloud does not answer                 no
//
// It costs at most one batch of direct reads or one list, and a look at the credentials.
func (s Nodes) Prove(ctx context.Context, c Candidates, targets []cloud.InstanceID) Candidates {
	free, others := map[cloud.InstanceID]bool{}, s.others(c)
	asking := map[cloud.InstanceID]bool{}
	for _, candidate := range c.Targets {
		asking[candidate.InstanceID] = true
	}
	var ids, addresses []cloud.InstanceID
	for _, id := range targets {
		switch {
		case asking[id]:
		case others.has(id, ""):
			free[id] = true
		case id.Unknown():
			addresses = append(addresses, id)
		default:
			ids = append(ids, id)
		}
	}
	gone := s.absent(ctx, ids, addresses, func(id cloud.InstanceID, name string) {
		if others.has(id, name) {
			free[id] = true
		}
	})
	if len(gone) > 0 && s.Trust(ctx) == nil {
		for _, id := range gone {
			free[id] = true
		}
	}
	c.free = free
	return c
}

// absent returns the targets whose machine the cloud has not, and shows those it has.
func (s Nodes) absent(ctx context.Context, ids, addresses []cloud.InstanceID, shows func(id cloud.InstanceID, name string)) []cloud.InstanceID {
	var gone []cloud.InstanceID
	if len(ids) > 0 {
		if found, err := s.Machines.Lookup(ctx, ids); err == nil {
			for _, id := range ids {
				if machine, ok := found[id]; ok {
					shows(id, machine.Name)
				} else {
					gone = append(gone, id)
				}
			}
		}
	}
	if len(addresses) > 0 {
		if taken, err := s.Machines.Addresses(ctx); err == nil {
			for _, id := range addresses {
				if !taken[addressOf(id)] {
					gone = append(gone, id)
				}
			}
		}
	}
	return gone
}

// others are the Nodes that were not offered to the balancer.
type others struct {
	ids              map[cloud.InstanceID]bool
	names, addresses map[string]bool
}

func (s Nodes) others(c Candidates) others {
	o := others{map[cloud.InstanceID]bool{}, map[string]bool{}, map[string]bool{}}
	for _, node := range s.Nodes() {
		if c.offered[node.Name] {
			continue
		}
		if id, err := s.Machines.ProviderID(node); err == nil {
			o.ids[id] = true
		}
		if node.Spec.ProviderID == "" {
			o.names[strings.ToLower(node.Name)] = true
		}
		for _, a := range node.Status.Addresses {
			if a.Type == corev1.NodeInternalIP || a.Type == corev1.NodeExternalIP {
				o.addresses[a.Address] = true
			}
		}
	}
	return o
}

// has reports whether a target is one of the Nodes; name is that of its machine, "" when not known.
func (o others) has(id cloud.InstanceID, name string) bool {
	return o.ids[id] || id.Unknown() && o.addresses[addressOf(id)] || name != "" && o.names[strings.ToLower(name)]
}
