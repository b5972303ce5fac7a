package elb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Fields that AWS changes together.
var (
	logFields      = []string{balancer.FieldLog, balancer.FieldLogBucket, balancer.FieldLogPrefix, balancer.FieldLogInterval}
	drainingFields = []string{desired.FieldDraining, desired.FieldDrainingTimeout}
)

// viewAttributes are the attributes AWS has. Those that AWS adds itself, such as the mode of
// desync mitigation, are not managed.
func viewAttributes(a *types.LoadBalancerAttributes) map[string]string {
	if a == nil {
		return nil
	}
	fields := map[string]string{
		balancer.FieldCrossZone: strconv.FormatBool(a.CrossZoneLoadBalancing != nil && a.CrossZoneLoadBalancing.Enabled),
		balancer.FieldLog:       "false", desired.FieldDraining: "false", desired.FieldIdleTimeout: option.IdleTimeout.Default,
	}
	if s := a.ConnectionSettings; s != nil && s.IdleTimeout != nil {
		fields[desired.FieldIdleTimeout] = number32(s.IdleTimeout)
	}
	if l := a.AccessLog; l != nil && l.Enabled {
		fields[balancer.FieldLog], fields[balancer.FieldLogBucket], fields[balancer.FieldLogPrefix] = "true", aws.ToString(l.S3BucketName), aws.ToString(l.S3BucketPrefix)
		fields[balancer.FieldLogInterval] = cmp.Or(number32(l.EmitInterval), option.LogInterval.Default)
	}
	if c := a.ConnectionDraining; c != nil && c.Enabled {
		fields[desired.FieldDraining] = "true"
		fields[desired.FieldDrainingTimeout] = cmp.Or(number32(c.Timeout), option.DrainingTimeout.Default)
	}
	return fields
}

func number32(n *int32) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(int(*n))
}

// setAttributes writes those attributes that differ, in one request.
func (c *update) setAttributes(ctx context.Context) error {
	var a types.LoadBalancerAttributes
	any := false
	differs := func(fields ...string) bool {
		differs := slices.ContainsFunc(fields, c.differs)
		any = any || differs
		return differs
	}
	want := c.want.ProviderFields
	if differs(balancer.FieldCrossZone) {
		a.CrossZoneLoadBalancing = &types.CrossZoneLoadBalancing{Enabled: want[balancer.FieldCrossZone] == "true"}
	}
	if differs(logFields...) {
		a.AccessLog = &types.AccessLog{Enabled: want[balancer.FieldLog] == "true", EmitInterval: parse32(want[balancer.FieldLogInterval])}
		if a.AccessLog.Enabled {
			a.AccessLog.S3BucketName, a.AccessLog.S3BucketPrefix = new(want[balancer.FieldLogBucket]), new(want[balancer.FieldLogPrefix])
		}
	}
	if differs(drainingFields...) {
		a.ConnectionDraining = &types.ConnectionDraining{Enabled: want[desired.FieldDraining] == "true", Timeout: parse32(want[desired.FieldDrainingTimeout])}
	}
	if differs(desired.FieldIdleTimeout) {
		a.ConnectionSettings = &types.ConnectionSettings{IdleTimeout: parse32(want[desired.FieldIdleTimeout])}
	}
	if !any {
		return nil
	}
	_, err := c.client.ModifyLoadBalancerAttributes(ctx, &sdk.ModifyLoadBalancerAttributesInput{LoadBalancerName: c.lb().LoadBalancerName, LoadBalancerAttributes: &a})
	if err != nil {
		return fmt.Errorf("changing the attributes of classic balancer %s: %w", c.lb().name(), err)
	}
	return nil
}

// parse32 is number32 the other way round.
func parse32(text string) *int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return nil
	}
	return new(int32(n))
}
