package nlb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
)

// Create makes the balancer and brings it to what is wanted. If that breaks, the next run
// finds the balancer by its name and goes on.
func (n *Balancers) Create(ctx context.Context, s *Snapshot, change cloud.Change) (cloud.Progress, error) {
	groups, err := n.open(ctx, s, change)
	if err != nil {
		return cloud.Progress{}, err
	}
	after := change.After
	input := &sdk.CreateLoadBalancerInput{
		Name: &after.Name, Type: types.LoadBalancerTypeEnumNetwork, Scheme: types.LoadBalancerSchemeEnumInternetFacing,
		SubnetMappings: subnetMappings(*after), SecurityGroups: groups, Tags: targetgroup.TagList(n.cluster.ObjectTags(change.Spec)),
	}
	if after.Scope == cloud.ScopeInternal {
		input.Scheme = types.LoadBalancerSchemeEnumInternal
	}
	if after.DualStack {
		input.IpAddressType = types.IpAddressTypeDualstack
	}
	made, err := n.client.CreateLoadBalancer(ctx, input)
	if err != nil {
		return cloud.Progress{}, fmt.Errorf("creating network load balancer %s: %w", after.Name, err)
	}
	if len(made.LoadBalancers) == 0 {
		return cloud.Progress{}, fmt.Errorf("creating network load balancer %s: %w", after.Name, failure.ErrBlank)
	}
	s.Balancer = &Balancer{LoadBalancer: made.LoadBalancers[0], Tags: n.cluster.ObjectTags(change.Spec)}
	return n.settle(ctx, s, change)
}

// Update changes what differs. Targets are changed in any case.
func (n *Balancers) Update(ctx context.Context, s *Snapshot, change cloud.Change) (cloud.Progress, error) {
	progress, err := n.rework(ctx, s, change)
	if err != nil {
		return progress, errors.Join(err, n.syncTargets(ctx, s, change, err))
	}
	return progress, nil
}

// rework changes what differs:
//
//	1  tags, so that it is known whose the balancer is
//	2  its own security group is made and opened, and those of the nodes are opened
//	3  security groups, subnets and address types
//	4  what settle does
func (n *Balancers) rework(ctx context.Context, s *Snapshot, change cloud.Change) (cloud.Progress, error) {
	if err := n.retag(ctx, s.Balancer, change); err != nil {
		return cloud.Progress{}, err
	}
	groups, err := n.open(ctx, s, change)
	if err != nil {
		return cloud.Progress{}, err
	}
	if err := n.place(ctx, s, change, groups); err != nil {
		return cloud.Progress{}, err
	}
	return n.settle(ctx, s, change)
}

// settle brings a balancer that exists to what is wanted, in this order:
//
//	1  attributes
//	2  listeners that are wanted, each with its target group, which is filled first
//	3  listeners that are not wanted, and target groups that nothing leads to any more; of those
//	   that a listener led to until now the next one has to serve first
//	4  security groups are closed, and one that was replaced is deleted
func (n *Balancers) settle(ctx context.Context, s *Snapshot, change cloud.Change) (cloud.Progress, error) {
	if err := n.setAttributes(ctx, s.Balancer, *change.After); err != nil {
		return cloud.Progress{}, err
	}
	if err := n.dropConflicts(ctx, s, *change.After); err != nil {
		return cloud.Progress{}, err
	}
	for _, l := range change.After.Listeners {
		if err := n.settleListener(ctx, s, l, change); err != nil {
			return cloud.Progress{}, fmt.Errorf("changing listener %s of network load balancer %s: %w", l.Key(), change.After.Name, err)
		}
	}
	if err := n.dropListeners(ctx, s, *change.After); err != nil {
		return cloud.Progress{}, err
	}
	unused := s.Groups.Released
	if s.Balancer.served() {
		unused = append(unused, s.Groups.Unused...)
	}
	busy, err := n.targets.Delete(ctx, unused)
	if err != nil {
		return busy, err
	}
	if !balancer.Doubtful(change.Spec.Candidates, *change.After) {
		needs := n.needsFor(s, change, placedSubnets(*change.After))
		needs.NewOwner = n.newOwners(ctx, s.Inventory, change.After.Name)
		if err := n.groups.CloseNodes(ctx, s.Inventory, needs); err != nil {
			return busy, err
		}
	}
	gone, err := n.closeOwnGroup(ctx, s, change)
	busy.Pending = busy.Pending || !gone
	busy.Warnings = s.Groups.Warnings(change.Spec.Candidates)
	switch {
	case busy.Pending:
	case len(s.Groups.Retired) > 0:
		busy.Again = untilServing
	case len(s.Groups.Refused) > 0:
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
func (n *Balancers) open(ctx context.Context, s *Snapshot, change cloud.Change) ([]string, error) {
	groups, err := n.openOwnGroup(ctx, s, change)
	if err != nil {
		return nil, err
	}
	subnets := placedSubnets(*change.After)
	if s.Balancer != nil {
		subnets = append(subnets, s.Balancer.Subnets()...)
	}
	return groups, n.groups.OpenNodes(ctx, s.Inventory, n.needsFor(s, change, subnets))
}

// needsFor are the rules on the security groups of the targets there shall be.
func (n *Balancers) needsFor(s *Snapshot, change cloud.Change, subnets []string) secgroup.Needs {
	return n.needsOf(s, change.After.Name, *change.After, balancer.TargetsOf(change.Spec.Candidates, change.After.Targets), subnets)
}

// syncTargets brings the targets of all listeners up to date after AWS refused something for good:
// nodes come and go, whatever is wrong with an annotation.
func (n *Balancers) syncTargets(ctx context.Context, s *Snapshot, change cloud.Change, refused error) error {
	if !failure.IsFinal(refused) {
		return nil
	}
	for _, have := range s.Balancer.listeners {
		if have.group.TargetGroupArn == nil {
			continue
		}
		l := cloud.Listener{ProviderFields: map[string]string{balancer.FieldTargetType: string(have.group.TargetType)}}
		wanted := targetgroup.Wanted(have.group.Targets, l, change)
		if err := n.targets.Register(ctx, s.Groups, have.group, balancer.Missing(wanted, have.group.Targets)); err != nil {
			return err
		}
		if err := n.targets.Deregister(ctx, have.group, balancer.Missing(have.group.Targets, wanted)); err != nil {
			return err
		}
	}
	return nil
}

// setAttributes writes the attributes that differ.
func (n *Balancers) setAttributes(ctx context.Context, lb *Balancer, after cloud.Balancer) error {
	wanted := map[string]string{
		attributeCrossZone: after.ProviderFields[balancer.FieldCrossZone], attributeProtection: after.ProviderFields[balancer.FieldProtection], attributeLog: after.ProviderFields[balancer.FieldLog],
	}
	if wanted[attributeLog] == "true" {
		wanted[attributeLogBucket], wanted[attributeLogPrefix] = after.ProviderFields[balancer.FieldLogBucket], after.ProviderFields[balancer.FieldLogPrefix]
	}
	var changed []types.LoadBalancerAttribute
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		have, known := lb.attributes[key]
		if value := wanted[key]; have != value && (known || value != "false" && value != "") {
			changed = append(changed, types.LoadBalancerAttribute{Key: aws.String(key), Value: aws.String(value)})
		}
	}
	if len(changed) == 0 {
		return nil
	}
	_, err := n.client.ModifyLoadBalancerAttributes(ctx, &sdk.ModifyLoadBalancerAttributesInput{LoadBalancerArn: lb.LoadBalancerArn, Attributes: changed})
	return failure.Wrap(err, "changing the attributes of network load balancer "+after.Name)
}

// retag brings the tags of the balancer, its listeners and target groups to what is wanted.
func (n *Balancers) retag(ctx context.Context, lb *Balancer, change cloud.Change) error {
	before := change.Before.Balancer
	if before.ProviderFields[balancer.FieldTags] == change.After.ProviderFields[balancer.FieldTags] && slices.Equal(before.OwnershipTags, change.After.OwnershipTags) {
		return nil // only targets change, whatever the annotation says
	}
	add, remove := n.cluster.Retag(lb.Tags, change)
	arns := []string{aws.ToString(lb.LoadBalancerArn)}
	for _, l := range lb.listeners {
		arns = append(arns, aws.ToString(l.ListenerArn))
		if n.targets.IsMade(l.group) {
			arns = append(arns, aws.ToString(l.group.TargetGroupArn))
		}
	}
	// The balancer comes last: it is by its tags that the work is known to be done.
	slices.Reverse(arns)
	for batch := range slices.Chunk(arns, targetgroup.TagBatch) {
		if len(add) > 0 {
			if _, err := n.client.AddTags(ctx, &sdk.AddTagsInput{ResourceArns: batch, Tags: targetgroup.TagList(add)}); err != nil {
				return fmt.Errorf("tagging network load balancer %s: %w", change.Before.ID, err)
			}
		}
		if len(remove) > 0 {
			if _, err := n.client.RemoveTags(ctx, &sdk.RemoveTagsInput{ResourceArns: batch, TagKeys: remove}); err != nil {
				return fmt.Errorf("removing tags of network load balancer %s: %w", change.Before.ID, err)
			}
		}
	}
	lb.Tags = maps.Clone(lb.Tags)
	maps.DeleteFunc(lb.Tags, func(key, _ string) bool { return slices.Contains(remove, key) })
	maps.Copy(lb.Tags, add)
	return nil
}

// Delete deletes the balancer with its listeners, then its target groups.
func (n *Balancers) Delete(ctx context.Context, s *Snapshot, change cloud.Change) (cloud.Progress, error) {
	lb := s.Balancer
	_, err := n.client.DeleteLoadBalancer(ctx, &sdk.DeleteLoadBalancerInput{LoadBalancerArn: lb.LoadBalancerArn})
	if err := failure.Ignore(err, targetgroup.CodeNoBalancer); err != nil {
		return cloud.Progress{}, fmt.Errorf("deleting network load balancer %s: %w", change.Before.Balancer.Name, err)
	}
	for _, l := range lb.listeners {
		n.targets.Release(s.Groups, l.group)
	}
	return n.targets.Delete(ctx, append(s.Groups.Released, s.Groups.Unused...))
}
