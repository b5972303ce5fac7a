package nlb

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// TargetGroups reads and writes the target groups of Network Load Balancers, and what is registered with them.
type TargetGroups struct {
	config.Config
	Client *sdk.Client
}

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

// List returns all target groups of the region: their names have to be unique there. Of those of the VPC that could
// have been made for a Service the ones have their tags that no listener leads to, and that the function chooses. It
// returns the tags of other objects too, which come in the same answers.
func (gs *TargetGroups) List(ctx context.Context, tagged func(Group) bool, others ...string) ([]Group, map[string]map[string]string, error) {
	list, err := gs.describe(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, g := range list {
		could := aws.ToString(g.VpcId) == gs.Cluster.VPC && tag.IsChild(aws.ToString(g.TargetGroupName))
		if could && (len(g.LoadBalancerArns) == 0 || tagged(g)) {
			others = append(others, aws.ToString(g.TargetGroupArn))
		}
	}
	tags, err := gs.tags(ctx, others)
	for i := range list {
		list[i].Tags = tags[aws.ToString(list[i].TargetGroupArn)]
	}
	return list, tags, err
}

// describe returns all target groups of the region, without their tags.
func (gs *TargetGroups) describe(ctx context.Context) ([]Group, error) {
	groups, err := filter.All(func(page *string) (*sdk.DescribeTargetGroupsOutput, error) {
		return gs.Client.DescribeTargetGroups(ctx, &sdk.DescribeTargetGroupsInput{PageSize: aws.Int32(pageSize), Marker: page})
	}, func(o *sdk.DescribeTargetGroupsOutput) ([]types.TargetGroup, *string) {
		return o.TargetGroups, o.NextMarker
	})
	list := []Group{}
	for _, g := range groups {
		list = append(list, Group{TargetGroup: g})
	}
	return list, failure.Wrap(err, "reading the target groups")
}

// Limits of one request.
const (
	pageSize = 400 // of DescribeLoadBalancers and DescribeTargetGroups
	tagBatch = 20  // ARNs of one DescribeTags
)

// tags returns the tags of objects by their ARNs. What was deleted meanwhile has none.
func (gs *TargetGroups) tags(ctx context.Context, arns []string) (map[string]map[string]string, error) {
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

// tagList returns tags as AWS takes them, sorted by key.
func tagList(tags map[string]string) []types.Tag {
	return tag.ListOf(tags, func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} })
}

// ReadSpares finds the target groups of the Service that no listener leads to: on the way in, or
// left by a broken change.
func (gs *TargetGroups) ReadSpares(ctx context.Context, s *Set, groups []Group, spec cloud.Spec) error {
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
	tags, err := gs.tags(ctx, arns)
	for _, g := range orphans {
		if g.Tags = tags[aws.ToString(g.TargetGroupArn)]; gs.Cluster.IsOurs(g.Tags, spec.Ref.Owner) {
			s.Unused = append(s.Unused, g)
		}
	}
	return err
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

// isOrphan reports whether the group could be ours and names only balancers that are gone: AWS
// shows them for a while.
func (s *Set) isOrphan(g Group) bool {
	return s.Alive != nil && len(g.LoadBalancerArns) > 0 && tag.IsChild(aws.ToString(g.TargetGroupName)) &&
		!slices.ContainsFunc(g.LoadBalancerArns, func(arn string) bool { return s.Alive[arn] || !strings.Contains(arn, ":loadbalancer/net/") })
}

// complete reads the attributes and the targets of a group.
func (gs *TargetGroups) complete(ctx context.Context, g *Group) error {
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

// recall takes attributes and targets from what was known of the listener that leads to the group, and of the targets of
// all listeners. It reports false where that was about another group, or does not say which addresses are
// registered.
func (g *Group) recall(was cloud.Listener, all []cloud.InstanceID) bool {
	is := g.view()
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

// Ref stands for the target group.
func (g Group) Ref() cloud.IDOf {
	return cloud.IDOf{Kind: kindTargetGroup, Key: aws.ToString(g.TargetGroupName)}
}

func healthFields(h cloud.Health) map[string]any {
	return map[string]any{
		"HealthCheckProtocol": h.Protocol, "HealthCheckPort": healthPortText(h), "HealthCheckPath": h.Path,
		"HealthCheckIntervalSeconds": h.Interval, "HealthCheckTimeoutSeconds": h.Timeout,
		"HealthyThresholdCount": h.Healthy, "UnhealthyThresholdCount": h.Unhealthy,
	}
}

func healthPortText(h cloud.Health) string {
	if h.Port == 0 {
		return option.TrafficPort
	}
	return strconv.Itoa(h.Port)
}

// attributesOf are the attributes of the target group of a listener.
func attributesOf(l cloud.Listener) map[string]any {
	fields := map[string]any{}
	for attribute, field := range groupAttributes {
		fields[attribute] = l.ProviderFields[field]
	}
	return fields
}

// attributeSticky is the attribute that keeps a client with its target.
const attributeSticky = "stickiness.enabled"

// groupAttributes are the attributes of target groups by their fields in the portable view.
var groupAttributes = map[string]string{
	option.AttributePreserve: balancer.FieldPreserve, option.AttributeProxy: balancer.FieldProxy, attributeSticky: balancer.FieldSticky,
}

// view returns the managed state of the group, as part of the listener that leads to it.
func (g Group) view() cloud.Listener {
	view := cloud.Listener{
		TargetProtocol: cloud.Protocol(g.Protocol), TargetPort: int(aws.ToInt32(g.Port)), Health: g.health(), Targets: []cloud.InstanceID{},
		ProviderFields: map[string]string{balancer.FieldTargetType: string(g.TargetType)},
	}
	for attribute, field := range groupAttributes {
		value, known := g.Attributes[attribute]
		preserves := !known && attribute == option.AttributePreserve && desired.PreservesByDefault(string(g.TargetType), view.TargetProtocol)
		view.ProviderFields[field] = strconv.FormatBool(value == "true" || preserves)
	}
	for _, id := range g.Targets {
		if g.TargetType == types.TargetTypeEnumIp {
			view.Targets = append(view.Targets, cloud.UnknownInstance(id))
		} else {
			view.Targets = append(view.Targets, cloud.InstanceID(id))
		}
	}
	slices.Sort(view.Targets)
	return view
}

// health returns the health check; its port is 0 where it is the one of the traffic.
func (g Group) health() *cloud.Health {
	port, _ := strconv.Atoi(aws.ToString(g.HealthCheckPort))
	h := &cloud.Health{
		Protocol: cloud.Protocol(g.HealthCheckProtocol), Port: port,
		Interval: time.Duration(aws.ToInt32(g.HealthCheckIntervalSeconds)) * time.Second,
		Timeout:  time.Duration(aws.ToInt32(g.HealthCheckTimeoutSeconds)) * time.Second,
		Healthy:  int(aws.ToInt32(g.HealthyThresholdCount)), Unhealthy: int(aws.ToInt32(g.UnhealthyThresholdCount)),
	}
	if balancer.AsksForPath(h.Protocol) {
		h.Path = aws.ToString(g.HealthCheckPath)
	}
	return h
}
