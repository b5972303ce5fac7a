package targetgroup

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
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// The kinds of resources.
const (
	kindGroup      = "target group"
	kindAttributes = "attributes of a target group"
	kindTarget     = "target"
)

// fieldGroup is the target group that attributes and targets belong to.
const fieldGroup = "TargetGroupArn"

// Kinds returns the kinds of resources in the order of making.
func (gs *Groups) Kinds() []cloud.ResourceKind {
	return []cloud.ResourceKind{
		{Name: kindGroup, Takes: []string{kindAttributes}, Create: gs.create, Update: gs.changeHealth, Delete: gs.remove},
		balancer.Written(kindAttributes, fieldGroup, gs.writeAttributes),
		{Name: kindTarget, Together: fieldGroup, Add: gs.register, Remove: gs.deregister},
	}
}

// Ref stands for the target group.
func (g Group) Ref() cloud.IDOf {
	return cloud.IDOf{Kind: kindGroup, Key: aws.ToString(g.TargetGroupName)}
}

// creation is what a target group is made with.
type creation struct {
	cloud.Listener
	tags map[string]string
}

// suits reports whether the group can be what the listener leads to. AWS can't change its protocol,
// port and type. Protocol and interval of its health check are in its name (see groupName):
// upstream fails for ever where it finds another one under a name it is about to give.
func (g Group) suits(l cloud.Listener) bool {
	return g.TargetGroupArn != nil && string(g.Protocol) == string(l.TargetProtocol) && int(aws.ToInt32(g.Port)) == l.TargetPort &&
		string(g.TargetType) == l.ProviderFields[balancer.FieldTargetType] &&
		string(g.HealthCheckProtocol) == string(l.Health.Protocol) && *balancer.Seconds(l.Health.Interval) == aws.ToInt32(g.HealthCheckIntervalSeconds)
}

// choose returns the target group for a listener: the one it has, else a spare, else a new one.
func (gs *Groups) choose(ctx context.Context, s *Set, have Group, l cloud.Listener, spec cloud.Spec) (Group, error) {
	if have.suits(l) {
		return have, nil
	}
	names := groupNames(gs.Cluster.ID, l, spec.Ref.Owner)
	for _, spare := range s.Unused {
		if spare.suits(l) && slices.Contains(names, aws.ToString(spare.TargetGroupName)) {
			err := gs.Complete(ctx, &spare)
			return spare, err
		}
	}
	for _, name := range names {
		if !s.taken[name] {
			return Group{TargetGroup: types.TargetGroup{
				TargetGroupName: &name, TargetType: types.TargetTypeEnum(l.ProviderFields[balancer.FieldTargetType]), Protocol: types.ProtocolEnum(l.TargetProtocol),
			}}, nil
		}
	}
	return Group{}, fmt.Errorf("creating a target group: the names %q are taken by others", names)
}

// Behind says which balancer target groups are behind, and which missing rules let their traffic through.
type Behind struct {
	Balancer cloud.IDOf
	Rules    []cloud.IDOf
}

// Add adds the target group that a listener has to lead to, with what is in it. Have is the one that it
// leads to now. A new one is made when the balancer is there.
func (gs *Groups) Add(ctx context.Context, r *cloud.Resources, s *Set, have Group, l cloud.Listener, change cloud.Change, b Behind) (cloud.IDOf, error) {
	g, err := gs.choose(ctx, s, have, l, change.Spec)
	if err != nil {
		return cloud.IDOf{}, err
	}
	ref := g.Ref()
	wanted := cloud.Resource{Kind: kindGroup, Key: ref.Key, Fields: healthFields(*l.Health), Native: creation{l, gs.Cluster.ObjectTags(change.Spec)}, Needs: b.Rules}
	attributes := cloud.Resource{Kind: kindAttributes, Key: ref.Key, Fields: attributesOf(l), Needs: b.Rules}
	its := cloud.Resource{Kind: kindAttributes, Key: ref.Key, Fields: attributesOf(g.View())}
	if g.TargetGroupArn != nil {
		present := presentGroup(g, b.Balancer)
		present.Fields, its.Fields[fieldGroup] = healthFields(*g.Health()), ref
		r.Present = append(r.Present, present, its)
	} else { // what has its default is not written
		wanted.Needs = append([]cloud.IDOf{b.Balancer}, b.Rules...)
		maps.DeleteFunc(attributes.Fields, func(key string, value any) bool { return value == its.Fields[key] })
	}
	r.Wanted = append(r.Wanted, wanted)
	if len(attributes.Fields) > 0 {
		attributes.Fields[fieldGroup] = ref
		r.Wanted = append(r.Wanted, attributes)
	}
	addTargets(r, g, l.ProviderFields[balancer.FieldTargetType], change)
	return ref, nil
}

// untilServing is how long the targets of a new target group usually take to become healthy: AWS
// registers them, and checks three times every 30 seconds.
const untilServing = 3 * time.Minute

// presentGroup is a target group that is there. It is a part of the balancer that it needs.
func presentGroup(g Group, needs ...cloud.IDOf) cloud.Resource {
	return cloud.Resource{Kind: kindGroup, Key: g.Ref().Key, ID: aws.ToString(g.TargetGroupArn), Needs: needs}
}

// AddRetired adds a target group that a listener leads to until now. Connections still go there, so it
// stays, and its targets are right, until the one in its place serves. One of the user's is left alone.
func (gs *Groups) AddRetired(r *cloud.Resources, g Group, change cloud.Change, b Behind) {
	if listed(r.Wanted, g) || !gs.Releases(g) {
		return
	}
	present := presentGroup(g, b.Balancer)
	r.Present, r.Wanted = append(r.Present, present), append(r.Wanted, present)
	addTargets(r, g, string(g.TargetType), change)
	r.Again = untilServing
}

// AddLeaving adds a target group that goes with the listener that leads to it. While the cloud refuses
// something that may still serve, so its targets are right.
func (gs *Groups) AddLeaving(r *cloud.Resources, g Group, change cloud.Change, b Behind) {
	if !gs.Releases(g) || listed(r.Wanted, g) || listed(r.Present, g) {
		return
	}
	r.Present = append(r.Present, presentGroup(g, b.Balancer))
	had := len(r.Wanted)
	addTargets(r, g, string(g.TargetType), change)
	for i := had; i < len(r.Wanted); i++ {
		r.Wanted[i].WhileRefused = true
	}
}

// AddSurplus adds a target group that goes with its balancer.
func (gs *Groups) AddSurplus(r *cloud.Resources, g Group) {
	if gs.Releases(g) {
		AddUnused(r, g)
	}
}

// AddUnused adds target groups of the Service that no listener leads to, unless they are wanted again.
func AddUnused(r *cloud.Resources, groups ...Group) {
	for _, g := range groups {
		if !listed(r.Wanted, g) && !listed(r.Present, g) {
			r.Present = append(r.Present, presentGroup(g))
		}
	}
}

func listed(list []cloud.Resource, g Group) bool {
	return slices.ContainsFunc(list, func(r cloud.Resource) bool { return r.Ref() == g.Ref() })
}

func healthFields(h cloud.Health) map[string]any {
	return map[string]any{
		"HealthCheckProtocol": h.Protocol, "HealthCheckPort": healthPortText(h), "HealthCheckPath": h.Path,
		"HealthCheckIntervalSeconds": h.Interval, "HealthCheckTimeoutSeconds": h.Timeout,
		"HealthyThresholdCount": h.Healthy, "UnhealthyThresholdCount": h.Unhealthy,
	}
}

// attributesOf are the attributes of the target group of a listener.
func attributesOf(l cloud.Listener) map[string]any {
	fields := map[string]any{}
	for attribute, field := range attributeFields {
		fields[attribute] = l.ProviderFields[field]
	}
	return fields
}

// groupNames are the names a listener's target group may have: upstream's, and one with the
// UID where that is taken, as by the balancer of a Service of the same name that was kept.
func groupNames(clusterID string, l cloud.Listener, us cloud.Owner) []string {
	return []string{groupName(clusterID, us, l), groupName(clusterID+us.UID, us, l)}
}

func (gs *Groups) create(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	c, _ := wanted.Native.(creation)
	input := &sdk.CreateTargetGroupInput{
		Name: &wanted.Key, Port: aws.Int32(int32(c.TargetPort)), Protocol: types.ProtocolEnum(c.TargetProtocol), VpcId: &gs.Cluster.VPC,
		TargetType: types.TargetTypeEnum(c.ProviderFields[balancer.FieldTargetType]), Tags: TagList(c.tags),
		HealthCheckProtocol: types.ProtocolEnum(c.Health.Protocol), HealthCheckPort: aws.String(healthPortText(*c.Health)), HealthCheckPath: pathOf(c.Health),
		HealthCheckIntervalSeconds: balancer.Seconds(c.Health.Interval), HealthCheckTimeoutSeconds: balancer.Seconds(c.Health.Timeout),
		HealthyThresholdCount: aws.Int32(int32(c.Health.Healthy)), UnhealthyThresholdCount: aws.Int32(int32(c.Health.Unhealthy)),
	}
	made, err := gs.Client.CreateTargetGroup(ctx, input)
	if err == nil && len(made.TargetGroups) == 0 {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return "", err
	}
	return aws.ToString(made.TargetGroups[0].TargetGroupArn), nil
}

func healthPortText(h cloud.Health) string {
	if h.Port == 0 {
		return option.TrafficPort
	}
	return strconv.Itoa(h.Port)
}

func pathOf(h *cloud.Health) *string {
	if h.Path == "" {
		return nil
	}
	return &h.Path
}

func (gs *Groups) changeHealth(ctx context.Context, present, wanted cloud.Resource, _ []string) error {
	c, _ := wanted.Native.(creation)
	_, err := gs.Client.ModifyTargetGroup(ctx, &sdk.ModifyTargetGroupInput{
		TargetGroupArn: &present.ID, HealthCheckProtocol: types.ProtocolEnum(c.Health.Protocol), HealthCheckPort: aws.String(healthPortText(*c.Health)),
		HealthCheckIntervalSeconds: balancer.Seconds(c.Health.Interval), HealthCheckTimeoutSeconds: balancer.Seconds(c.Health.Timeout),
		HealthyThresholdCount: aws.Int32(int32(c.Health.Healthy)), UnhealthyThresholdCount: aws.Int32(int32(c.Health.Unhealthy)),
		HealthCheckPath: pathOf(c.Health),
	})
	return err
}

func (gs *Groups) writeAttributes(ctx context.Context, wanted cloud.Resource, keys []string) error {
	var list []types.TargetGroupAttribute
	for _, key := range keys {
		list = append(list, types.TargetGroupAttribute{Key: &key, Value: aws.String(fmt.Sprint(wanted.Fields[key]))})
	}
	if wanted.Fields[AttributeSticky] == "true" {
		list = append(list, types.TargetGroupAttribute{Key: aws.String("stickiness.type"), Value: aws.String("source_ip")})
	}
	_, err := gs.Client.ModifyTargetGroupAttributes(ctx, &sdk.ModifyTargetGroupAttributesInput{TargetGroupArn: balancer.Text(wanted, fieldGroup), Attributes: list})
	return err
}

func (gs *Groups) remove(ctx context.Context, present cloud.Resource) error {
	_, err := gs.Client.DeleteTargetGroup(ctx, &sdk.DeleteTargetGroupInput{TargetGroupArn: &present.ID})
	return failure.UnlessInUse(err)
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
