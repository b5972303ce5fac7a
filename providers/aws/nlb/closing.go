package nlb

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// RemovedRules are the rules on the nodes' security groups of a network balancer that goes or is
// gone: none is needed any more. Those of a classic one name a security group: where it is its own
// they go with it, else they went before the balancer did.
func (n *Balancers) RemovedRules(ctx context.Context, inv *vpc.Inventory, name string) secgroup.Needs {
	needs := nodeNeeds(name, cloud.Balancer{}, nil, nil)
	needs.NewOwner = n.newOwners(ctx, inv, name)
	return needs
}

// LeftRules reports whether there are rules for a balancer that is gone.
func (n *Balancers) LeftRules(ctx context.Context, inv *vpc.Inventory, name string) (bool, error) {
	if n.groups.LeaveNodes {
		return false, nil
	}
	needs := n.RemovedRules(ctx, inv, name)
	for id := range inv.Groups {
		for r := range needs.Surplus(inv, id) {
			if needed, _, err := needs.NewOwner(id, r); !needed || err != nil {
				return err == nil, err
			}
		}
	}
	return false, nil
}
