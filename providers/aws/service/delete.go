package service

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
)

// absent is the observation when there is no balancer. When the Service leaves, what a broken
// deletion left is looked for.
func (bs *Balancers) absent(ctx context.Context, s *snapshot, v *bulkList, spec cloud.Spec) (cloud.Observed, error) {
	var o cloud.Observed
	groups, err := bs.targetGroups(ctx, v)
	if err != nil {
		return o, err
	}
	if err := bs.targets.ReadSpares(ctx, &s.groups, groups, spec); err != nil {
		return o, err
	}
	if !spec.Deleting {
		return o, nil
	}
	left, err := bs.network.LeftRules(ctx, s.inventory, s.name(spec))
	o.Orphans = len(bs.groups.Own(s.inventory, spec.Ref.Owner, balancer.Name(spec), ""))+len(s.groups.Unused) > 0 || left
	return o, err
}
