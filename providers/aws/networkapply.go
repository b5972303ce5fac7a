package aws

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// createNetwork makes the balancer and brings it to what is wanted. If that breaks, the next run
// finds the balancer by its name and goes on.
func (d *Driver) createNetwork(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	groups, err := d.open(ctx, s, change)
	if err != nil {
		return cloud.Progress{}, err
	}
	after := change.After
	input := &elb.CreateLoadBalancerInput{
		Name: &after.Name, Type: elbtypes.LoadBalancerTypeEnumNetwork, Scheme: elbtypes.LoadBalancerSchemeEnumInternetFacing,
		SubnetMappings: subnetMappings(*after), SecurityGroups: groups, Tags: networkTagList(d.config.Cluster.ObjectTags(change.Spec)),
	}
	if after.Scope == cloud.ScopeInternal {
		input.Scheme = elbtypes.LoadBalancerSchemeEnumInternal
	}
	if after.DualStack {
		input.IpAddressType = elbtypes.IpAddressTypeDualstack
	}
	made, err := d.Network.CreateLoadBalancer(ctx, input)
	if err != nil {
		return cloud.Progress{}, fmt.Errorf("creating network load balancer %s: %w", after.Name, err)
	}
	if len(made.LoadBalancers) == 0 {
		return cloud.Progress{}, fmt.Errorf("creating network load balancer %s: %w", after.Name, failure.ErrBlank)
	}
	s.network = &networkBalancer{LoadBalancer: made.LoadBalancers[0], tags: d.config.Cluster.ObjectTags(change.Spec)}
	return d.settleNetwork(ctx, s, change)
}

// updateNetwork changes what differs. Targets are changed in any case.
func (d *Driver) updateNetwork(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	progress, err := d.reworkNetwork(ctx, s, change)
	if err != nil {
		return progress, errors.Join(err, d.keepServing(ctx, s, change, err))
	}
	return progress, nil
}

// reworkNetwork changes what differs:
//
//	1  tags, so that it is known whose the balancer is
//	2  its own security group is made and opened, and those of the nodes are opened
//	3  security groups, subnets and address types
//	4  what settleNetwork does
func (d *Driver) reworkNetwork(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	if err := d.retagNetwork(ctx, s.network, change); err != nil {
		return cloud.Progress{}, err
	}
	groups, err := d.open(ctx, s, change)
	if err != nil {
		return cloud.Progress{}, err
	}
	if err := d.placeNetwork(ctx, s, change, groups); err != nil {
		return cloud.Progress{}, err
	}
	return d.settleNetwork(ctx, s, change)
}

// settleNetwork brings a balancer that exists to what is wanted, in this order:
//
//	1  attributes
//	2  listeners that are wanted, each with its target group, which is filled first
//	3  listeners that are not wanted, and target groups that nothing leads to any more; of those
//	   that a listener led to until now the next one has to serve first
//	4  security groups are closed, and one that was replaced is deleted
func (d *Driver) settleNetwork(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	if err := d.setAttributes(ctx, s.network, *change.After); err != nil {
		return cloud.Progress{}, err
	}
	if err := d.dropConflicts(ctx, s, *change.After); err != nil {
		return cloud.Progress{}, err
	}
	for _, l := range change.After.Listeners {
		if err := d.settleListener(ctx, s, l, change); err != nil {
			return cloud.Progress{}, fmt.Errorf("changing listener %s of network load balancer %s: %w", l.Key(), change.After.Name, err)
		}
	}
	if err := d.dropListeners(ctx, s, *change.After); err != nil {
		return cloud.Progress{}, err
	}
	unused := s.released
	if s.network.served() {
		unused = append(unused, s.unused...)
	}
	busy, err := d.deleteGroups(ctx, unused)
	if err != nil {
		return busy, err
	}
	if !doubtful(change.Spec.Candidates, *change.After) {
		needs := d.needsFor(s, change, placedSubnets(*change.After))
		needs.NewOwner = d.newOwners(ctx, s, change.After.Name)
		if err := d.groups.CloseNodes(ctx, s.area, needs); err != nil {
			return busy, err
		}
	}
	gone, err := d.closeGuard(ctx, s, change)
	busy.Pending = busy.Pending || !gone
	busy.Warnings = s.refusedNotes(change.Spec.Candidates)
	switch {
	case busy.Pending:
	case len(s.retired) > 0:
		busy.Again = untilServing
	case len(s.refused) > 0:
		busy.Again = untilTaken
	}
	return busy, err
}

// When a balancer is looked at again.
const (
	// untilServing is how long the targets of a new target group usually take to become healthy:
	// AWS registers them, and checks three times every 30 seconds.
	untilServing = 3 * time.Minute
	// untilTaken is the wait for a target that AWS does not take, the framework's longest one.
	untilTaken = 5 * time.Minute
)

// open makes and opens the balancer's own security group, and opens those of the nodes, for the
// subnets it has and for those it shall have. It returns the groups the balancer shall have, nil
// for those it has.
func (d *Driver) open(ctx context.Context, s *snapshot, change cloud.Change) ([]string, error) {
	groups, err := d.openGuard(ctx, s, change)
	if err != nil {
		return nil, err
	}
	subnets := placedSubnets(*change.After)
	if s.network != nil {
		subnets = append(subnets, s.network.subnets()...)
	}
	return groups, d.groups.OpenNodes(ctx, s.area, d.needsFor(s, change, subnets))
}

// needsFor are the rules on the security groups of the targets there shall be.
func (d *Driver) needsFor(s *snapshot, change cloud.Change, subnets []string) secgroup.Needs {
	return d.needsOf(s, change.After.Name, *change.After, targetsOf(change.Spec.Candidates, change.After.Targets), subnets)
}

// keepServing brings the targets of all listeners up to date after AWS refused something for good:
// nodes come and go, whatever is wrong with an annotation.
func (d *Driver) keepServing(ctx context.Context, s *snapshot, change cloud.Change, refused error) error {
	if class := failure.Classify(refused).Class; class != cloud.FailureInvalid && class != cloud.FailureQuota && class != cloud.FailureNotFound {
		return nil
	}
	for _, have := range s.network.listeners {
		if have.group.TargetGroupArn == nil {
			continue
		}
		l := cloud.Listener{ProviderFields: map[string]string{fieldTargetType: string(have.group.TargetType)}}
		wanted := wantedTargets(have.group.targets, l, change)
		if err := d.register(ctx, s, have.group, missing(wanted, have.group.targets)); err != nil {
			return err
		}
		if err := d.deregister(ctx, have.group, missing(have.group.targets, wanted)); err != nil {
			return err
		}
	}
	return nil
}

// setAttributes writes the attributes that differ.
func (d *Driver) setAttributes(ctx context.Context, lb *networkBalancer, after cloud.Balancer) error {
	wanted := map[string]string{
		attributeCrossZone: after.ProviderFields[fieldCrossZone], attributeProtection: after.ProviderFields[fieldProtection], attributeLog: after.ProviderFields[fieldLog],
	}
	if wanted[attributeLog] == "true" {
		wanted[attributeLogBucket], wanted[attributeLogPrefix] = after.ProviderFields[fieldLogBucket], after.ProviderFields[fieldLogPrefix]
	}
	var changed []elbtypes.LoadBalancerAttribute
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		have, known := lb.attributes[key]
		if value := wanted[key]; have != value && (known || value != "false" && value != "") {
			changed = append(changed, elbtypes.LoadBalancerAttribute{Key: awssdk.String(key), Value: awssdk.String(value)})
		}
	}
	if len(changed) == 0 {
		return nil
	}
	_, err := d.Network.ModifyLoadBalancerAttributes(ctx, &elb.ModifyLoadBalancerAttributesInput{LoadBalancerArn: lb.LoadBalancerArn, Attributes: changed})
	return failure.Wrap(err, "changing the attributes of network load balancer "+after.Name)
}

// retagNetwork brings the tags of the balancer, its listeners and target groups to what is wanted.
func (d *Driver) retagNetwork(ctx context.Context, lb *networkBalancer, change cloud.Change) error {
	before := change.Before.Balancer
	if before.ProviderFields[fieldTags] == change.After.ProviderFields[fieldTags] && slices.Equal(before.OwnershipTags, change.After.OwnershipTags) {
		return nil // only targets change, whatever the annotation says
	}
	add, remove := d.config.Cluster.Retag(lb.tags, change)
	arns := []string{awssdk.ToString(lb.LoadBalancerArn)}
	for _, l := range lb.listeners {
		arns = append(arns, awssdk.ToString(l.ListenerArn))
		if d.isMade(l.group) {
			arns = append(arns, awssdk.ToString(l.group.TargetGroupArn))
		}
	}
	// The balancer comes last: it is by its tags that the work is known to be done.
	slices.Reverse(arns)
	for batch := range slices.Chunk(arns, tagBatch) {
		if len(add) > 0 {
			if _, err := d.Network.AddTags(ctx, &elb.AddTagsInput{ResourceArns: batch, Tags: networkTagList(add)}); err != nil {
				return fmt.Errorf("tagging network load balancer %s: %w", change.Before.ID, err)
			}
		}
		if len(remove) > 0 {
			if _, err := d.Network.RemoveTags(ctx, &elb.RemoveTagsInput{ResourceArns: batch, TagKeys: remove}); err != nil {
				return fmt.Errorf("removing tags of network load balancer %s: %w", change.Before.ID, err)
			}
		}
	}
	lb.tags = maps.Clone(lb.tags)
	maps.DeleteFunc(lb.tags, func(key, _ string) bool { return slices.Contains(remove, key) })
	maps.Copy(lb.tags, add)
	return nil
}

func networkTagList(tags map[string]string) []elbtypes.Tag {
	var list []elbtypes.Tag
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, elbtypes.Tag{Key: awssdk.String(key), Value: awssdk.String(tags[key])})
	}
	return list
}

// deleteNetwork deletes the balancer with its listeners, then its target groups.
func (d *Driver) deleteNetwork(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	lb := s.network
	_, err := d.Network.DeleteLoadBalancer(ctx, &elb.DeleteLoadBalancerInput{LoadBalancerArn: lb.LoadBalancerArn})
	if err := failure.Ignore(err, codeNoBalancer); err != nil {
		return cloud.Progress{}, fmt.Errorf("deleting network load balancer %s: %w", change.Before.Balancer.Name, err)
	}
	for _, l := range lb.listeners {
		d.release(s, l.group)
	}
	return d.deleteGroups(ctx, append(s.released, s.unused...))
}
