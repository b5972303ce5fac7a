package targetgroup

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
)

// Recall takes what is in a group from the last look where that knew it, and reads it elsewhere. See Group.recall.
func (gs *Groups) Recall(ctx context.Context, g *Group, was cloud.Listener, all []cloud.InstanceID) error {
	if g.recall(was, all) {
		return nil
	}
	return gs.complete(ctx, g)
}

// recall takes attributes and targets from what was known of the listener that leads to the group, and of the targets of
// all listeners. It reports false where that was about another group, or does not say which addresses are
// registered.
func (g *Group) recall(was cloud.Listener, all []cloud.InstanceID) bool {
	is := g.View()
	const kind = balancer.FieldTargetType
	addresses := !slices.ContainsFunc(was.Targets, func(id cloud.InstanceID) bool { return !id.Unknown() })
	known := g.TargetType == types.TargetTypeEnumInstance || was.Targets != nil && addresses
	if !known || is.TargetProtocol != was.TargetProtocol || is.TargetPort != was.TargetPort || is.ProviderFields[kind] != was.ProviderFields[kind] {
		return false
	}
	if was.Targets != nil {
		all = was.Targets
	}
	g.Attributes = map[string]string{}
	for attribute, field := range groupAttributes {
		g.Attributes[attribute] = was.ProviderFields[field]
	}
	for _, id := range all {
		g.Targets = append(g.Targets, id.Address()) // or the id
	}
	slices.Sort(g.Targets)
	return true
}

// complete reads the attributes and the targets of a group.
func (gs *Groups) complete(ctx context.Context, g *Group) error {
	attributes, err := gs.Client.DescribeTargetGroupAttributes(ctx, &sdk.DescribeTargetGroupAttributesInput{TargetGroupArn: g.TargetGroupArn})
	if err != nil {
		return fmt.Errorf("reading the attributes of target group %s: %w", aws.ToString(g.TargetGroupName), err)
	}
	g.Attributes = map[string]string{}
	for _, attribute := range attributes.Attributes {
		g.Attributes[aws.ToString(attribute.Key)] = aws.ToString(attribute.Value)
	}
	health, err := gs.Client.DescribeTargetHealth(ctx, &sdk.DescribeTargetHealthInput{TargetGroupArn: g.TargetGroupArn})
	if err != nil {
		return fmt.Errorf("reading the targets of target group %s: %w", aws.ToString(g.TargetGroupName), err)
	}
	for _, target := range health.TargetHealthDescriptions {
		leaving := target.TargetHealth != nil && target.TargetHealth.Reason == types.TargetHealthReasonEnumDeregistrationInProgress
		if target.Target != nil && !leaving {
			g.Targets = append(g.Targets, aws.ToString(target.Target.Id))
			g.serves = g.serves || target.TargetHealth != nil && target.TargetHealth.State == types.TargetHealthStateEnumHealthy
		}
	}
	slices.Sort(g.Targets)
	g.Targets = slices.Compact(g.Targets)
	return nil
}
