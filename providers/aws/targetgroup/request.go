package targetgroup

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/aws/smithy-go"

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
const (
	fieldTargets = "TargetGroupArn" // of its attributes and targets
	fieldTags    = "Tags"           // with which it is made
)

// Kinds returns the kinds of resources in the order of making.
func (gs *Groups) Kinds() []cloud.ResourceKind {
	return []cloud.ResourceKind{
		{
			Name: kindTargetGroup, Takes: []string{kindGroupAttributes}, Create: gs.create,
			Update: func(ctx context.Context, present, wanted cloud.Resource, _ []string) error {
				l, _ := wanted.Native.(cloud.Listener)
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
				list = append(list, types.TargetGroupAttribute{Key: &key, Value: balancer.Text(wanted, key)})
			}
			if wanted.Fields[attributeSticky] == "true" {
				list = append(list, types.TargetGroupAttribute{Key: aws.String("stickiness.type"), Value: aws.String("source_ip")})
			}
			_, err := gs.Client.ModifyTargetGroupAttributes(ctx, &sdk.ModifyTargetGroupAttributesInput{TargetGroupArn: balancer.Text(wanted, fieldTargets), Attributes: list})
			return err
		}),
		{Name: kindTarget, Together: fieldTargets, Remove: gs.deregister, Add: gs.register},
	}
}

func (gs *Groups) create(ctx context.Context, wanted cloud.Resource, _ []cloud.Resource) (string, error) {
	l, _ := wanted.Native.(cloud.Listener)
	tags, _ := wanted.Fields[fieldTags].(map[string]string)
	check := checkOf(*l.Health)
	made, err := gs.Client.CreateTargetGroup(ctx, &sdk.CreateTargetGroupInput{
		Name: &wanted.Key, Port: aws.Int32(int32(l.TargetPort)), Protocol: types.ProtocolEnum(l.TargetProtocol), VpcId: &gs.Cluster.VPC,
		TargetType: types.TargetTypeEnum(l.ProviderFields[balancer.FieldTargetType]), Tags: tag.ListOf(tags, func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} }),
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

// register adds targets to a group. Those that AWS does not take, such as an instance that is stopped,
// have to wait.
func (gs *Groups) register(ctx context.Context, wanted []cloud.Resource) error {
	refused := &cloud.Waiting{After: untilTaken}
	bad := func(err error) bool { return failure.Is(err, "InvalidTarget") } // an instance that does not run, or an address outside
	err := failure.Batches(wanted, targetBatch, bad, func(some []cloud.Resource) error {
		_, err := gs.Client.RegisterTargets(ctx, &sdk.RegisterTargetsInput{TargetGroupArn: balancer.Text(some[0], fieldTargets), Targets: targetList(some)})
		return tooMany(some, err)
	}, func(one cloud.Resource, err error) {
		t, _ := one.Native.(target)
		refused.Warnings = append(refused.Warnings, cloud.Warning{Field: t.node, Message: "AWS does not take it as a target: " + said(err), Reason: reasonSkipped})
	})
	switch {
	case failure.IsGone(err): // it was deleted meanwhile: it is made again in the next run
		return &cloud.Waiting{}
	case err == nil && len(refused.Warnings) > 0:
		return refused
	}
	return err
}

// tooMany marks the error of a call that was refused because the group, or its balancer, has as many targets as the quota allows.
func tooMany(some []cloud.Resource, err error) error {
	if !failure.Is(err, "TooManyTargets") {
		return err
	}
	refused := &cloud.TargetsRefused{TooMany: true, Text: said(err), Err: err}
	for _, r := range some {
		refused.Asked = append(refused.Asked, r.Machine)
	}
	return refused
}

// said is what the API says of an error, without the request it was the answer to.
func said(err error) string {
	if answer, ok := errors.AsType[smithy.APIError](err); ok {
		return answer.ErrorMessage()
	}
	return err.Error()
}

func (gs *Groups) deregister(ctx context.Context, present []cloud.Resource) error {
	for batch := range slices.Chunk(present, targetBatch) {
		_, err := gs.Client.DeregisterTargets(ctx, &sdk.DeregisterTargetsInput{TargetGroupArn: balancer.Text(batch[0], fieldTargets), Targets: targetList(batch)})
		if err = failure.UnlessGone(err); err != nil {
			return err
		}
	}
	return nil
}

func targetList(resources []cloud.Resource) []types.TargetDescription {
	var list []types.TargetDescription
	for _, r := range resources {
		t, _ := r.Native.(target)
		list = append(list, types.TargetDescription{Id: &t.id})
	}
	return list
}

// reasonSkipped is the event of nodes that are no targets.
const reasonSkipped = "TargetSkipped"

// targetBatch is the most targets of one call (upstream's figure; AWS publishes none).
const targetBatch = 100

// untilTaken is the wait for a target that AWS does not take, the framework's longest one.
const untilTaken = 5 * time.Minute
