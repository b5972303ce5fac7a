package targetgroup

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// The kinds of resources.
const (
	kindTargetGroup     = "target group"
	kindGroupAttributes = "attributes of a target group"
	kindTarget          = "target"
)

// Fields of resources, by their names in the API.
var (
	fieldTargets       = cloud.NewField[cloud.Reference]("TargetGroupArn") // of its attributes and targets
	fieldTags          = cloud.NewField[map[string]string]("Tags")         // with which it is made
	fieldCheckProtocol = cloud.NewField[cloud.Protocol]("HealthCheckProtocol")
	fieldCheckPort     = cloud.NewField[string]("HealthCheckPort")
	fieldCheckPath     = cloud.NewField[string]("HealthCheckPath")
	fieldInterval      = cloud.NewField[time.Duration]("HealthCheckIntervalSeconds")
	fieldTimeout       = cloud.NewField[time.Duration]("HealthCheckTimeoutSeconds")
	fieldHealthy       = cloud.NewField[int]("HealthyThresholdCount")
	fieldUnhealthy     = cloud.NewField[int]("UnhealthyThresholdCount")
)

// nativeListener is the listener that a target group has to be made for.
var nativeListener cloud.NativeOf[cloud.Listener]

// Kinds returns the kinds of resources in the order of making.
func (gs *Groups) Kinds() []cloud.ResourceKind {
	return []cloud.ResourceKind{
		{
			Name: kindTargetGroup, Takes: []string{kindGroupAttributes}, Create: gs.create,
			Update: func(ctx context.Context, present, wanted cloud.Resource, _ []string) error {
				l := nativeListener.Open(wanted.Native)
				check := checkOf(*l.Health)
				check.TargetGroupArn = &present.ID
				_, err := gs.Client.ModifyTargetGroup(ctx, check)
				return err
			},
			Delete: func(ctx context.Context, present cloud.Resource) error {
				_, err := gs.Client.DeleteTargetGroup(ctx, &sdk.DeleteTargetGroupInput{TargetGroupArn: &present.ID})
				return failure.UnlessInUse(err)
			},
		},
		balancer.Written(kindGroupAttributes, fieldTargets, func(ctx context.Context, wanted cloud.Resource, keys []string) error {
			var list []types.TargetGroupAttribute
			for _, key := range keys {
				list = append(list, types.TargetGroupAttribute{Key: &key, Value: new(cloud.NewField[string](key).Of(wanted))})
			}
			if attributeSticky.Of(wanted) == "true" {
				list = append(list, types.TargetGroupAttribute{Key: aws.String("stickiness.type"), Value: aws.String("source_ip")})
			}
			_, err := gs.Client.ModifyTargetGroupAttributes(ctx, &sdk.ModifyTargetGroupAttributesInput{TargetGroupArn: new(fieldTargets.Of(wanted).ID), Attributes: list})
			return err
		}),
		{Name: kindTarget, Target: true, Together: fieldTargets, Remove: gs.deregister, Add: gs.register},
	}
}

func (gs *Groups) create(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	l := nativeListener.Open(wanted.Native)
	check := checkOf(*l.Health)
	made, err := gs.Client.CreateTargetGroup(ctx, &sdk.CreateTargetGroupInput{
		Name: &wanted.Key, Port: aws.Int32(int32(l.TargetPort)), Protocol: types.ProtocolEnum(l.TargetProtocol), VpcId: &gs.Cluster.VPC,
		TargetType: types.TargetTypeEnum(l.ProviderFields[balancer.FieldTargetType]), Tags: tag.ListOf(fieldTags.Of(wanted), func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} }),
		HealthCheckProtocol: check.HealthCheckProtocol, HealthCheckPort: check.HealthCheckPort, HealthCheckPath: check.HealthCheckPath,
		HealthCheckIntervalSeconds: check.HealthCheckIntervalSeconds, HealthCheckTimeoutSeconds: check.HealthCheckTimeoutSeconds,
		HealthyThresholdCount: check.HealthyThresholdCount, UnhealthyThresholdCount: check.UnhealthyThresholdCount,
	})
	if err == nil && (len(made.TargetGroups) == 0 || made.TargetGroups[0].TargetGroupArn == nil) {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return "", err
	}
	return *made.TargetGroups[0].TargetGroupArn, nil
}

// checkOf is the health check of a target group as AWS is asked for it.
func checkOf(h cloud.Health) *sdk.ModifyTargetGroupInput {
	check := &sdk.ModifyTargetGroupInput{
		HealthCheckProtocol: types.ProtocolEnum(h.Protocol), HealthCheckPort: aws.String(healthPortText(h)),
		HealthCheckIntervalSeconds: aws.Int32(int32(h.Interval / time.Second)), HealthCheckTimeoutSeconds: aws.Int32(int32(h.Timeout / time.Second)),
		HealthyThresholdCount: aws.Int32(int32(h.Healthy)), UnhealthyThresholdCount: aws.Int32(int32(h.Unhealthy)),
	}
	if h.Path != "" {
		check.HealthCheckPath = &h.Path
	}
	return check
}

// register adds targets to a group. What AWS refuses of one call keeps no other from being made, unless the group is full.
func (gs *Groups) register(ctx context.Context, wanted []cloud.Resource) error {
	var refusals []error
	for batch := range slices.Chunk(wanted, targetBatch) {
		_, err := gs.Client.RegisterTargets(ctx, &sdk.RegisterTargetsInput{TargetGroupArn: new(fieldTargets.Of(batch[0]).ID), Targets: targetList(batch)})
		switch {
		case failure.IsGone(err): // it was deleted meanwhile: it is made again in the next run
			return &cloud.Waiting{}
		case failure.Is(err, "InvalidTarget"): // an instance that does not run, or an address outside
			refusals = append(refusals, refusedTargets(batch, err, false))
		case failure.Is(err, "TooManyTargets"): // the group, or its balancer, has as many as the quota allows
			return errors.Join(append(refusals, refusedTargets(batch, err, true))...)
		case err != nil:
			return errors.Join(append(refusals, err)...)
		}
	}
	return errors.Join(refusals...)
}

// refusedTargets marks the error of a call that was refused for its targets, or for their number.
func refusedTargets(batch []cloud.Resource, err error, tooMany bool) error {
	asked := map[string]cloud.InstanceID{}
	for _, r := range batch {
		id := nativeTarget.Open(r.Native)
		asked[string(id)] = r.Machine
	}
	refused := failure.OfTargets(err, asked)
	if refused.TooMany = tooMany; tooMany {
		refused.Named = nil
	}
	return refused
}

func (gs *Groups) deregister(ctx context.Context, present []cloud.Resource) error {
	for batch := range slices.Chunk(present, targetBatch) {
		_, err := gs.Client.DeregisterTargets(ctx, &sdk.DeregisterTargetsInput{TargetGroupArn: new(fieldTargets.Of(batch[0]).ID), Targets: targetList(batch)})
		if err = failure.UnlessGone(err); err != nil {
			return err
		}
	}
	return nil
}

func targetList(resources []cloud.Resource) []types.TargetDescription {
	var list []types.TargetDescription
	for _, r := range resources {
		id := nativeTarget.Open(r.Native)
		list = append(list, types.TargetDescription{Id: aws.String(string(id))})
	}
	return list
}

// targetBatch is the most targets of one call (upstream's figure; AWS publishes none).
const targetBatch = 100
