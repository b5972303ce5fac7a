package aws

import (
	"context"
	"fmt"
	"slices"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/names"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
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
	d.findOwn(s, spec)
	left, err := d.leftRules(ctx, s, spec)
	o.Orphans = len(s.own)+len(s.unused) > 0 || left
	return o, err
}

// findOwn finds the security groups that were made for the balancer, of either kind, in an area
// that has all of the VPC's:
//
//	named for                   marks       ours
//	any balancer                this UID    yes
//	the balancer there is       any of the  yes: it was taken over with it
//	                            cluster
//	the wanted or default name  none        yes, unless they are another cluster's
func (d *Driver) findOwn(s *snapshot, spec cloud.Spec) {
	names := d.groupNames(spec, wantedName(spec), names.Default(spec.Ref.Owner.UID))
	var present []groupName
	if s.classic != nil || s.network != nil {
		present = d.groupNames(spec, s.name(spec))
	}
	s.own = nil
	for _, id := range sortedGroups(s.area) {
		group := s.area.groups[id]
		uid := tag.Marks.Owner(tag.Of(group.Tags)).UID
		named := func(n groupName) bool { return n.owns(group) }
		switch {
		case d.isAnothers(group, spec.Ref.Owner):
		case uid == spec.Ref.Owner.UID && uid != "" || uid == "" && slices.ContainsFunc(names, named) || slices.ContainsFunc(present, named):
			s.own = append(s.own, group)
		}
	}
}

// isGroupOurs reports whether a group of the right name is not another Service's.
func (d *Driver) isGroupOurs(g ec2types.SecurityGroup, spec cloud.Spec) bool {
	if uid := tag.Marks.Owner(tag.Of(g.Tags)).UID; uid != "" {
		return uid == spec.Ref.Owner.UID
	}
	return !d.isAnothers(g, spec.Ref.Owner)
}

// groupNames are those of the security groups that balancers of these names may have for
// themselves.
func (d *Driver) groupNames(spec cloud.Spec, balancers ...string) []groupName {
	name, words := networkGroup(d.clusterName, spec.Ref.Owner)
	names := []groupName{{name, words}}
	for _, balancer := range balancers {
		name, words := classicGroup(balancer, spec.Ref.Owner)
		names = append(names, groupName{name, words})
	}
	return names
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
	d.findOwn(s, change.Spec)
	if err := d.claimOwn(ctx, s, change.Spec); err != nil {
		return cloud.Progress{}, err
	}
	if err := d.closeNodes(ctx, s.area, d.removedRules(ctx, s, change.Spec)); err != nil {
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
	for _, group := range s.own {
		gone, err := d.dropGroup(ctx, s.area, awssdk.ToString(group.GroupId))
		if err != nil {
			return busy, err
		}
		busy.Pending = busy.Pending || !gone
	}
	return busy, nil
}

// claimOwn marks the security groups that only the balancer leads to: one that was taken over, or
// has another name than the Service asks for by now.
func (d *Driver) claimOwn(ctx context.Context, s *snapshot, spec cloud.Spec) error {
	names := d.groupNames(spec, wantedName(cloud.Spec{Ref: spec.Ref, Options: spec.Options}), names.Default(spec.Ref.Owner.UID))
	for _, group := range s.own {
		uid := tag.Marks.Owner(tag.Of(group.Tags)).UID
		if uid == spec.Ref.Owner.UID || uid == "" && slices.ContainsFunc(names, func(n groupName) bool { return n.owns(group) }) {
			continue
		}
		_, err := d.Compute.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{awssdk.ToString(group.GroupId)}, Tags: tag.List(tag.Marks.Of(spec.Ref.Owner))})
		if err != nil {
			return fmt.Errorf("marking security group %s: %w", awssdk.ToString(group.GroupId), err)
		}
	}
	return nil
}
