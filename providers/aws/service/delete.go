package service

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
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

// delete deletes the balancer, of which perhaps only parts are left, and what was made for it:
//
//	1  its own security groups get our mark, where they would not be found without the balancer
//	2  the rules for it in the security groups of nodes, which have its name
//	3  the balancer with its listeners
//	4  target groups
//	5  its own security groups
//
// What is still in use is deleted in a later pass.
func (bs *Balancers) delete(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	if s.network != nil && s.network.Protected() {
		return cloud.Progress{}, &cloud.Invalid{
			Field: option.Protection.Name, Value: "true",
			Want: "the network load balancer " + s.name(change.Spec) + " is protected from deletion: switch that off in AWS",
		}
	}
	us := change.Spec.Ref.Owner
	own := bs.groups.Own(s.inventory, us, balancer.Name(change.Spec), s.present())
	if err := bs.groups.Claim(ctx, own, us, balancer.Name(cloud.Spec{Ref: change.Spec.Ref, Options: change.Spec.Options})); err != nil {
		return cloud.Progress{}, err
	}
	if err := bs.groups.CloseNodes(ctx, s.inventory, bs.network.RemovedRules(ctx, s.inventory, s.name(change.Spec))); err != nil {
		return cloud.Progress{}, err
	}
	var busy cloud.Progress
	var err error
	switch {
	case s.classic != nil:
		err = bs.classic.Delete(ctx, s.forClassic(), change.Spec)
	case s.network != nil:
		busy, err = bs.network.Delete(ctx, s.forNetwork(), change)
	default:
		busy, err = bs.targets.Delete(ctx, s.groups.Unused)
	}
	if err != nil {
		return busy, err
	}
	for _, group := range own {
		gone, err := bs.groups.Drop(ctx, s.inventory, aws.ToString(group.GroupId))
		if err != nil {
			return busy, err
		}
		busy.Pending = busy.Pending || !gone
	}
	return busy, nil
}
