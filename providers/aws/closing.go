package aws

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// departing are the rules on the nodes' security groups of a network balancer that goes or is
// gone: none is needed any more. Those of a classic one name a security group: where it is its own
// they go with it, else they went before the balancer did.
func (d *Driver) departing(ctx context.Context, s *snapshot, spec cloud.Spec) nodeNeeds {
	needs := networkNeeds(s.name(spec), cloud.Balancer{}, nil, nil)
	needs.heir = d.heirs(ctx, s, s.name(spec))
	return needs
}

// leftRules reports whether there are rules for a balancer that is gone.
func (d *Driver) leftRules(ctx context.Context, s *snapshot, spec cloud.Spec) (bool, error) {
	if d.config.balancer.leaveNodeGroups {
		return false, nil
	}
	needs := d.departing(ctx, s, spec)
	for id := range s.area.groups {
		for r := range needs.surplus(s.area, id) {
			if needed, _, err := needs.heir(id, r); !needed || err != nil {
				return err == nil, err
			}
		}
	}
	return false, nil
}
