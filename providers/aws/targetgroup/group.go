package targetgroup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Group is a target group with what is in it.
type Group struct {
	types.TargetGroup
	Tags       map[string]string
	Attributes map[string]string
	// Targets are the ids registered and not on their way out: of instances, or addresses.
	Targets []string
	// Serves says that one of them is healthy.
	Serves bool
}

// List returns all target groups of the region: their names have to be unique there.
// Those of the VPC that no listener leads to and that could have been made for a Service have
// their tags, and those behind the balancer of that ARN, "" for none, whose tags are returned too.
func (gs *Groups) List(ctx context.Context, of string) ([]Group, map[string]string, error) {
	groups, err := filter.All(func(page *string) (*sdk.DescribeTargetGroupsOutput, error) {
		return gs.Client.DescribeTargetGroups(ctx, &sdk.DescribeTargetGroupsInput{PageSize: aws.Int32(PageSize), Marker: page})
	}, func(o *sdk.DescribeTargetGroupsOutput) ([]types.TargetGroup, *string) {
		return o.TargetGroups, o.NextMarker
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading the target groups: %w", err)
	}
	list := []Group{}
	var tagged []string
	if of != "" {
		tagged = append(tagged, of)
	}
	for _, g := range groups {
		list = append(list, Group{TargetGroup: g})
		loose := len(g.LoadBalancerArns) == 0 && aws.ToString(g.VpcId) == gs.Cluster.VPC && tag.IsChild(aws.ToString(g.TargetGroupName))
		if loose || slices.Contains(g.LoadBalancerArns, of) {
			tagged = append(tagged, aws.ToString(g.TargetGroupArn))
		}
	}
	tags, err := gs.Tags(ctx, tagged)
	for i := range list {
		list[i].Tags = tags[aws.ToString(list[i].TargetGroupArn)]
	}
	return list, tags[of], err
}

// IsMade reports whether a group behind a balancer of ours was made for it, by upstream or us, and
// is none of the user's.
func (gs *Groups) IsMade(g Group) bool {
	return g.TargetGroupArn != nil && tag.IsChild(aws.ToString(g.TargetGroupName)) && gs.Cluster.Has(g.Tags)
}

// Releases reports whether a group goes with the listener that leads to it. One that other balancers
// have too, or that is the user's, is left alone.
func (gs *Groups) Releases(g Group) bool { return gs.IsMade(g) && len(g.LoadBalancerArns) <= 1 }

// ReadSpares finds the target groups of the Service that no listener leads to: on the way in, or
// left by a broken change.
func (gs *Groups) ReadSpares(ctx context.Context, s *Set, groups []Group, spec cloud.Spec) error {
	s.taken = map[string]bool{}
	var orphans []Group
	var arns []string
	for _, g := range groups {
		s.taken[aws.ToString(g.TargetGroupName)] = true
		switch {
		case len(g.LoadBalancerArns) == 0 && gs.Cluster.IsOurs(g.Tags, spec.Ref.Owner):
			s.Unused = append(s.Unused, g)
		case spec.Deleting && s.isOrphan(g):
			orphans, arns = append(orphans, g), append(arns, aws.ToString(g.TargetGroupArn))
		}
	}
	tags, err := gs.Tags(ctx, arns)
	for _, g := range orphans {
		if g.Tags = tags[aws.ToString(g.TargetGroupArn)]; gs.Cluster.IsOurs(g.Tags, spec.Ref.Owner) {
			s.Unused = append(s.Unused, g)
		}
	}
	return err
}

// isOrphan reports whether the group could be ours and names only balancers that are gone: AWS
// shows them for a while.
func (s *Set) isOrphan(g Group) bool {
	return s.Alive != nil && len(g.LoadBalancerArns) > 0 && tag.IsChild(aws.ToString(g.TargetGroupName)) &&
		!slices.ContainsFunc(g.LoadBalancerArns, func(arn string) bool { return s.Alive[arn] || !strings.Contains(arn, ":loadbalancer/net/") })
}

// Complete reads the attributes and the targets of a group.
func (gs *Groups) Complete(ctx context.Context, g *Group) error {
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
			g.Serves = g.Serves || target.TargetHealth != nil && target.TargetHealth.State == types.TargetHealthStateEnumHealthy
		}
	}
	slices.Sort(g.Targets)
	g.Targets = slices.Compact(g.Targets)
	return nil
}

// Recall takes attributes and targets from what was known of the listener that leads to the group, and of the targets of
// all listeners. It reports false where that was about another group, or does not say which addresses are
// registered.
func (g *Group) Recall(was cloud.Listener, all []cloud.InstanceID) bool {
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
	for attribute, field := range attributeFields {
		g.Attributes[attribute] = was.ProviderFields[field]
	}
	for _, id := range all {
		g.Targets = append(g.Targets, id.Address()) // or the id
	}
	slices.Sort(g.Targets)
	return true
}

// Set is what was read of the target groups of one Service.
type Set struct {
	// Unused are those of the Service that no listener leads to.
	Unused []Group
	// taken are the names of all target groups there are.
	taken map[string]bool
	// Alive are the ARNs of all network balancers, nil where they were not listed.
	Alive map[string]bool
}
