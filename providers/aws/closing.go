package aws

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// removedRules are the rules on the nodes' security groups of a network balancer that goes or is
// gone: none is needed any more. Those of a classic one name a security group: where it is its own
// they go with it, else they went before the balancer did.
func (d *Driver) removedRules(ctx context.Context, s *snapshot, spec cloud.Spec) secgroup.Needs {
	needs := networkNeeds(s.name(spec), cloud.Balancer{}, nil, nil)
	needs.NewOwner = d.newOwners(ctx, s, s.name(spec))
	return needs
}

// leftRules reports whether there are rules for a balancer that is gone.
func (d *Driver) leftRules(ctx context.Context, s *snapshot, spec cloud.Spec) (bool, error) {
	if d.config.Balancer.LeaveNodeGroups {
		return false, nil
	}
	needs := d.removedRules(ctx, s, spec)
	for id := range s.area.Groups {
		for r := range needs.Surplus(s.area, id) {
			if needed, _, err := needs.NewOwner(id, r); !needed || err != nil {
				return err == nil, err
			}
		}
	}
	return false, nil
}
