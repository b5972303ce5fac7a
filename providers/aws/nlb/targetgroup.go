package nlb

import (
	"context"
	"crypto/sha1" //nolint:gosec // names upstream gives
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// addTargetGroup adds the target group that a listener has to lead to, with what is in it. Have is the one that it
// leads to now. A new one is made when the balancer is there.
func (p *parts) addTargetGroup(ctx context.Context, have Group, l cloud.Listener) (cloud.IDOf, error) {
	g, err := p.choose(ctx, have, l)
	if err != nil {
		return cloud.IDOf{}, err
	}
	ref, rules := g.Ref(), p.rules()
	wanted := cloud.Resource{Kind: kindTargetGroup, Key: ref.Key, Fields: healthFields(*l.Health), Native: l, Needs: rules}
	wanted.Fields[fieldTags] = p.Cluster.ObjectTags(p.change.Spec)
	attributes := cloud.Resource{Kind: kindGroupAttributes, Key: ref.Key, Fields: attributesOf(l), Needs: rules}
	its := cloud.Resource{Kind: kindGroupAttributes, Key: ref.Key, Fields: attributesOf(g.view())}
	if g.TargetGroupArn != nil {
		present := presentGroup(g, p.lb)
		present.Fields, its.Fields[fieldTargets] = healthFields(*g.health()), ref
		p.Present = append(p.Present, present, its)
	} else { // what has its default is not written
		wanted.Needs = append([]cloud.IDOf{p.lb}, rules...)
		maps.DeleteFunc(attributes.Fields, func(key string, value any) bool { return value == its.Fields[key] })
	}
	p.Wanted = append(p.Wanted, wanted)
	if len(attributes.Fields) > 0 {
		attributes.Fields[fieldTargets] = ref
		p.Wanted = append(p.Wanted, attributes)
	}
	p.addTargets(g, l.ProviderFields[balancer.FieldTargetType])
	return ref, nil
}

// choose returns the target group for a listener: the one it has, else an unused one, else a new one.
func (p *parts) choose(ctx context.Context, have Group, l cloud.Listener) (Group, error) {
	if have.suits(l) {
		return have, nil
	}
	names := groupNames(p.Cluster.ID, l, p.change.Spec.Ref.Owner)
	for _, unused := range p.s.Groups.Unused {
		if unused.suits(l) && slices.Contains(names, aws.ToString(unused.TargetGroupName)) {
			err := p.Targets.complete(ctx, &unused)
			return unused, err
		}
	}
	for _, name := range names {
		if !p.s.Groups.taken[name] {
			return Group{TargetGroup: types.TargetGroup{
				TargetGroupName: &name, TargetType: types.TargetTypeEnum(l.ProviderFields[balancer.FieldTargetType]), Protocol: types.ProtocolEnum(l.TargetProtocol),
			}}, nil
		}
	}
	return Group{}, fmt.Errorf("creating a target group: the names %q are taken by others", names)
}

// suits reports whether the group can be what the listener leads to. AWS can't change its protocol,
// port and type. Protocol and interval of its health check are in its name (see groupName):
// upstream fails for ever where it finds another one under a name it is about to give.
func (g Group) suits(l cloud.Listener) bool {
	return g.TargetGroupArn != nil && string(g.Protocol) == string(l.TargetProtocol) && int(aws.ToInt32(g.Port)) == l.TargetPort &&
		string(g.TargetType) == l.ProviderFields[balancer.FieldTargetType] &&
		string(g.HealthCheckProtocol) == string(l.Health.Protocol) && int32(l.Health.Interval/time.Second) == aws.ToInt32(g.HealthCheckIntervalSeconds)
}

// groupNames are the names a listener's target group may have: upstream's, and one with the
// UID where that is taken, as by the balancer of a Service of the same name that was kept.
func groupNames(clusterID string, l cloud.Listener, us cloud.Owner) []string {
	return []string{groupName(clusterID, us, l), groupName(clusterID+us.UID, us, l)}
}

// groupName returns the name upstream gives to a target group. It depends on what AWS can't change.
func groupName(clusterID string, owner cloud.Owner, l cloud.Listener) string {
	h := sha1.New() //nolint:gosec // as above
	for _, part := range []string{
		clusterID, owner.Namespace, owner.Name, strconv.Itoa(l.Port), strconv.Itoa(l.TargetPort), string(l.TargetProtocol),
		l.ProviderFields[balancer.FieldTargetType], string(l.Health.Protocol), strconv.Itoa(int(l.Health.Interval / time.Second)),
	} {
		h.Write([]byte(part))
	}
	return tag.Child(owner, hex.EncodeToString(h.Sum(nil)))
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

// presentGroup is a target group that is there. It is a part of the balancer that it needs.
func presentGroup(g Group, needs ...cloud.IDOf) cloud.Resource {
	return cloud.Resource{Kind: kindTargetGroup, Key: g.Ref().Key, ID: aws.ToString(g.TargetGroupArn), Needs: needs}
}
