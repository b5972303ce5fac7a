package aws

import (
	"context"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// absent is the observation when there is no balancer. When the Service leaves, what a broken
// deletion left is looked for.
func (d *Driver) absent(ctx context.Context, s *snapshot, v *bulkList, spec cloud.Spec) (cloud.Observed, error) {
	o := cloud.Observed{Native: s, Lookups: d.lookups(s, spec)}
	if err := d.readSpares(ctx, s, v, spec); err != nil {
		return o, err
	}
	if !spec.Deleting {
		return o, nil
	}
	left, err := d.leftRules(ctx, s, spec)
	o.Orphans = len(d.groups.Own(s.area, spec.Ref.Owner, wantedName(spec), ""))+len(s.unused) > 0 || left
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
func (d *Driver) delete(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	if s.network != nil && s.network.attributes[attributeProtection] == "true" {
		return cloud.Progress{}, &cloud.Invalid{
			Field: option.Protection.Name, Value: "true",
			Want: "the network load balancer " + s.name(change.Spec) + " is protected from deletion: switch that off in AWS",
		}
	}
	us := change.Spec.Ref.Owner
	own := d.groups.Own(s.area, us, wantedName(change.Spec), s.present())
	if err := d.groups.Claim(ctx, own, us, wantedName(cloud.Spec{Ref: change.Spec.Ref, Options: change.Spec.Options})); err != nil {
		return cloud.Progress{}, err
	}
	if err := d.groups.CloseNodes(ctx, s.area, d.removedRules(ctx, s, change.Spec)); err != nil {
		return cloud.Progress{}, err
	}
	var busy cloud.Progress
	var err error
	switch {
	case s.classic != nil:
		err = d.deleteClassic(ctx, s, change.Spec)
	case s.network != nil:
		busy, err = d.deleteNetwork(ctx, s, change)
	default:
		busy, err = d.deleteGroups(ctx, s.unused)
	}
	if err != nil {
		return busy, err
	}
	for _, group := range own {
		gone, err := d.groups.Drop(ctx, s.area, awssdk.ToString(group.GroupId))
		if err != nil {
			return busy, err
		}
		busy.Pending = busy.Pending || !gone
	}
	return busy, nil
}
