package targetgroup

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/names"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// suits reports whether the group can be what the listener leads to. AWS can't change its protocol,
// port and type. Protocol and interval of its health check are in its name (see shape):
// upstream fails for ever where it finds another one under a name it is about to give.
func (g Group) suits(l cloud.Listener) bool {
	return g.TargetGroupArn != nil && string(g.Protocol) == string(l.TargetProtocol) && int(aws.ToInt32(g.Port)) == l.TargetPort &&
		string(g.TargetType) == l.ProviderFields[balancer.FieldTargetType] &&
		string(g.HealthCheckProtocol) == string(l.Health.Protocol) && *balancer.Seconds(l.Health.Interval) == aws.ToInt32(g.HealthCheckIntervalSeconds)
}

// For returns the target group for a listener: the one it has, else a spare, else a new one.
func (gs *Groups) For(ctx context.Context, s *Set, have Group, l cloud.Listener, spec cloud.Spec) (Group, error) {
	if have.suits(l) {
		return have, nil
	}
	names := groupNames(gs.cluster.ID, l, spec)
	for i, spare := range s.Unused {
		if spare.suits(l) && slices.Contains(names, aws.ToString(spare.TargetGroupName)) {
			s.Unused = slices.Delete(slices.Clone(s.Unused), i, i+1)
			err := gs.Complete(ctx, &spare)
			return spare, err
		}
	}
	for _, name := range names {
		if !s.taken[name] {
			return gs.create(ctx, name, l, spec)
		}
	}
	return Group{}, fmt.Errorf("creating a target group: the names %q are taken by others", names)
}

// groupNames are the names a listener's target group may have: upstream's, and one with the
// UID where that is taken, as by the balancer of a Service of the same name that was kept.
func groupNames(clusterID string, l cloud.Listener, spec cloud.Spec) []string {
	shape := shape{
		port: l.Port, nodePort: l.TargetPort, protocol: l.TargetProtocol, targetType: l.ProviderFields[balancer.FieldTargetType],
		healthProtocol: l.Health.Protocol, healthInterval: l.Health.Interval,
	}
	return []string{
		groupName(clusterID, spec.Ref.Owner, shape),
		groupName(clusterID+spec.Ref.Owner.UID, spec.Ref.Owner, shape),
	}
}

func (gs *Groups) create(ctx context.Context, name string, l cloud.Listener, spec cloud.Spec) (Group, error) {
	input := &sdk.CreateTargetGroupInput{
		Name: &name, Port: aws.Int32(int32(l.TargetPort)), Protocol: types.ProtocolEnum(l.TargetProtocol), VpcId: &gs.cluster.VPC,
		TargetType: types.TargetTypeEnum(l.ProviderFields[balancer.FieldTargetType]), Tags: TagList(gs.cluster.ObjectTags(spec)),
		HealthCheckProtocol: types.ProtocolEnum(l.Health.Protocol), HealthCheckPort: aws.String(healthPortText(l.Health)),
		HealthCheckIntervalSeconds: balancer.Seconds(l.Health.Interval), HealthCheckTimeoutSeconds: balancer.Seconds(l.Health.Timeout),
		HealthyThresholdCount: aws.Int32(int32(l.Health.Healthy)), UnhealthyThresholdCount: aws.Int32(int32(l.Health.Unhealthy)),
	}
	if l.Health.Path != "" {
		input.HealthCheckPath = &l.Health.Path
	}
	made, err := gs.client.CreateTargetGroup(ctx, input)
	if err != nil {
		return Group{}, fmt.Errorf("creating target group %s: %w", name, err)
	}
	if len(made.TargetGroups) == 0 {
		return Group{}, fmt.Errorf("creating target group %s: %w", name, failure.ErrBlank)
	}
	g := Group{TargetGroup: made.TargetGroups[0]}
	err = gs.Complete(ctx, &g)
	return g, err
}

func healthPortText(h *cloud.Health) string {
	if h.Port == 0 {
		return option.TrafficPort
	}
	return strconv.Itoa(h.Port)
}

// Settle changes the health check and the attributes of a target group where they differ.
func (gs *Groups) Settle(ctx context.Context, g Group, l cloud.Listener) error {
	if want, have := *l.Health, *g.Health(); !balancer.SameHealth(want, have) {
		input := &sdk.ModifyTargetGroupInput{
			TargetGroupArn: g.TargetGroupArn, HealthCheckProtocol: types.ProtocolEnum(want.Protocol), HealthCheckPort: aws.String(healthPortText(&want)),
			HealthCheckIntervalSeconds: balancer.Seconds(want.Interval), HealthCheckTimeoutSeconds: balancer.Seconds(want.Timeout),
			HealthyThresholdCount: aws.Int32(int32(want.Healthy)), UnhealthyThresholdCount: aws.Int32(int32(want.Unhealthy)),
		}
		if want.Path != "" {
			input.HealthCheckPath = &want.Path
		}
		if _, err := gs.client.ModifyTargetGroup(ctx, input); err != nil {
			return fmt.Errorf("changing the health check of target group %s: %w", aws.ToString(g.TargetGroupName), err)
		}
	}
	var changed []types.TargetGroupAttribute
	set := func(attribute, value, have string) {
		if value != have {
			changed = append(changed, types.TargetGroupAttribute{Key: aws.String(attribute), Value: aws.String(value)})
		}
	}
	set(option.AttributePreserve, l.ProviderFields[balancer.FieldPreserve], strconv.FormatBool(g.Preserves()))
	set(option.AttributeProxy, l.ProviderFields[balancer.FieldProxy], strconv.FormatBool(g.Attributes[option.AttributeProxy] == "true"))
	set(AttributeSticky, l.ProviderFields[balancer.FieldSticky], strconv.FormatBool(g.Attributes[AttributeSticky] == "true"))
	if len(changed) == 0 {
		return nil
	}
	if l.ProviderFields[balancer.FieldSticky] == "true" {
		changed = append(changed, types.TargetGroupAttribute{Key: aws.String("stickiness.type"), Value: aws.String("source_ip")})
	}
	_, err := gs.client.ModifyTargetGroupAttributes(ctx, &sdk.ModifyTargetGroupAttributesInput{TargetGroupArn: g.TargetGroupArn, Attributes: changed})
	return failure.Wrap(err, "changing the attributes of target group "+aws.ToString(g.TargetGroupName))
}

// shape is what the name of a target group depends on: AWS can't change it.
type shape struct {
	port, nodePort int
	protocol       cloud.Protocol
	targetType     string
	healthProtocol cloud.Protocol
	healthInterval time.Duration
}

// groupName returns the name upstream gives to a target group.
func groupName(clusterID string, owner cloud.Owner, s shape) string {
	h := sha1.New() //nolint:gosec // as above
	for _, part := range []string{
		clusterID, owner.Namespace, owner.Name, strconv.Itoa(s.port), strconv.Itoa(s.nodePort), string(s.protocol),
		s.targetType, string(s.healthProtocol), strconv.Itoa(int(s.healthInterval / time.Second)),
	} {
		h.Write([]byte(part))
	}
	return names.Child(owner, hex.EncodeToString(h.Sum(nil)))
}
