package targetgroup

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
)

// Lead adds the target group that a listener has to lead to, with what is in it. Have is the one that it
// leads to now. A new one is made when the balancer is there.
func (c *Change) Lead(ctx context.Context, have Group, l cloud.Listener) (cloud.IDOf, error) {
	g, err := c.choose(ctx, have, l)
	if err != nil {
		return cloud.IDOf{}, err
	}
	ref := g.Ref()
	wanted := cloud.Resource{Kind: kindTargetGroup, Key: ref.Key, Fields: healthFields(*l.Health), Native: nativeListener.Seal(l), Needs: c.Rules}
	wanted.Fields = wanted.Fields.With(fieldTags.Is(c.Cluster.ObjectTags(c.Of.Input.Spec)))
	attributes := cloud.Resource{Kind: kindGroupAttributes, Key: ref.Key, Fields: attributesOf(l), Needs: c.Rules}
	its := cloud.Resource{Kind: kindGroupAttributes, Key: ref.Key, Fields: attributesOf(g.View())}
	if g.TargetGroupArn != nil {
		present := presentGroup(g, c.Balancer)
		present.Fields, its.Fields = healthFields(*g.health()), its.Fields.With(fieldTargets.Is(cloud.To(ref)))
		c.Present = append(c.Present, present, its)
	} else { // what has its default is not written
		wanted.Needs = append([]cloud.IDOf{c.Balancer}, c.Rules...)
		for attribute := range groupAttributes {
			if attribute.Of(attributes) == attribute.Of(its) {
				attributes.Fields = attributes.Fields.Without(attribute)
			}
		}
	}
	c.Wanted = append(c.Wanted, wanted)
	if len(attributes.Fields.All()) > 0 {
		attributes.Fields = attributes.Fields.With(fieldTargets.Is(cloud.To(ref)))
		c.Wanted = append(c.Wanted, attributes)
	}
	c.addTargets(g, l.ProviderFields[balancer.FieldTargetType])
	return ref, nil
}

// choose returns the target group for a listener: the one it has, else an unused one, else a new one.
func (c *Change) choose(ctx context.Context, have Group, l cloud.Listener) (Group, error) {
	if have.suits(l) {
		return have, nil
	}
	names := groupNames(c.Cluster.ID, l, c.Of.Input.Owner)
	for _, unused := range c.Set.Unused {
		if unused.suits(l) && slices.Contains(names, aws.ToString(unused.TargetGroupName)) {
			err := c.Complete(ctx, &unused)
			return unused, err
		}
	}
	for _, name := range names {
		if !c.Set.taken[name] {
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
