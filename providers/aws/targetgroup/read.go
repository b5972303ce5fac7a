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
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Groups reads and writes target groups.
type Groups struct {
	Cluster tag.Cluster
	Client  *sdk.Client
}

// List returns all target groups of the region: their names have to be unique there. Of those of the VPC that could
// have been made for a Service the ones have their tags that no listener leads to, and that the function chooses. It
// returns the tags of other objects too, which come in the same answers.
func (gs *Groups) List(ctx context.Context, tagged func(Group) bool, others ...string) ([]Group, map[string]map[string]string, error) {
	list, err := gs.All(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, g := range list {
		could := aws.ToString(g.VpcId) == gs.Cluster.VPC && g.isChild()
		if could && (len(g.LoadBalancerArns) == 0 || tagged(g)) {
			others = append(others, aws.ToString(g.TargetGroupArn))
		}
	}
	tags, err := gs.Tags(ctx, others)
	for i := range list {
		list[i].Tags = tags[aws.ToString(list[i].TargetGroupArn)]
	}
	return list, tags, err
}

// All returns all target groups of the region, without their tags.
func (gs *Groups) All(ctx context.Context) ([]Group, error) {
	groups, err := filter.All(func(page *string) (*sdk.DescribeTargetGroupsOutput, error) {
		return gs.Client.DescribeTargetGroups(ctx, &sdk.DescribeTargetGroupsInput{PageSize: aws.Int32(pageSize), Marker: page})
	}, func(o *sdk.DescribeTargetGroupsOutput) ([]types.TargetGroup, *string) {
		return o.TargetGroups, o.NextMarker
	})
	list := []Group{}
	for _, g := range groups {
		list = append(list, Group{TargetGroup: g})
	}
	if err != nil {
		return nil, fmt.Errorf("reading the target groups: %w", err)
	}
	return list, nil
}

// Tags returns the tags of objects by their ARNs. What was deleted meanwhile has none.
func (gs *Groups) Tags(ctx context.Context, arns []string) (map[string]map[string]string, error) {
	return tag.ByID(arns, tagBatch, func(arns []string) (map[string]map[string]string, error) {
		answer, err := gs.Client.DescribeTags(ctx, &sdk.DescribeTagsInput{ResourceArns: arns})
		if err != nil {
			return nil, fmt.Errorf("reading the tags of network load balancers: %w", err)
		}
		tags := map[string]map[string]string{}
		for _, described := range answer.TagDescriptions {
			of := map[string]string{}
			for _, tag := range described.Tags {
				of[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
			}
			tags[aws.ToString(described.ResourceArn)] = of
		}
		return tags, nil
	})
}

// ReadUnused finds the target groups of the Service that no listener leads to: on the way in, or
// left by a broken change.
func (gs *Groups) ReadUnused(ctx context.Context, s *Set, in cloud.Input) error {
	s.taken = map[string]bool{}
	ours := func(g Group) bool {
		return ownership.Of(gs.Cluster.PartOwner(g.Tags, in.Owner), in.Owner) == ownership.Ours
	}
	var orphans []Group
	var arns []string
	for _, g := range s.Listed {
		s.taken[aws.ToString(g.TargetGroupName)] = true
		switch {
		case len(g.LoadBalancerArns) == 0 && ours(g):
			s.Unused = append(s.Unused, g)
		case in.Deleting && s.isOrphan(g):
			orphans, arns = append(orphans, g), append(arns, aws.ToString(g.TargetGroupArn))
		}
	}
	tags, err := gs.Tags(ctx, arns)
	for _, g := range orphans {
		if g.Tags = tags[aws.ToString(g.TargetGroupArn)]; ours(g) {
			s.Unused = append(s.Unused, g)
		}
	}
	return err
}

// isOrphan reports whether the group could be ours and names only balancers that are gone: AWS
// shows them for a while.
func (s *Set) isOrphan(g Group) bool {
	return s.Alive != nil && len(g.LoadBalancerArns) > 0 && g.isChild() &&
		!slices.ContainsFunc(g.LoadBalancerArns, func(arn string) bool { return s.Alive[arn] || !strings.Contains(arn, ":loadbalancer/net/") })
}

// Behind returns the target groups behind a balancer, and reads the tags of those that may have been made for
// a Service and have none yet: by these the ones of the user are known.
func (gs *Groups) Behind(ctx context.Context, s *Set, balancer string) (behind []Group, err error) {
	var arns []string
	for _, g := range s.Listed {
		if slices.Contains(g.LoadBalancerArns, balancer) {
			behind = append(behind, g)
			if g.Tags == nil && g.isChild() {
				arns = append(arns, aws.ToString(g.TargetGroupArn))
			}
		}
	}
	tags, err := gs.Tags(ctx, arns)
	for i, g := range behind {
		if g.Tags == nil {
			behind[i].Tags = tags[aws.ToString(g.TargetGroupArn)]
		}
	}
	return behind, err
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
			g.serves = g.serves || target.TargetHealth != nil && target.TargetHealth.State == types.TargetHealthStateEnumHealthy
		}
	}
	slices.Sort(g.Targets)
	g.Targets = slices.Compact(g.Targets)
	return nil
}

// Limits of one request.
const (
	pageSize = 400 // of DescribeTargetGroups
	tagBatch = 20  // ARNs of one DescribeTags
)
