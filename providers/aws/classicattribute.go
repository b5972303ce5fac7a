package aws

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Managed fields that only classic balancers have.
const (
	fieldDraining        = "connectionDraining"
	fieldDrainingTimeout = "connectionDrainingTimeout" // seconds, only while draining is on
	fieldIdleTimeout     = "idleTimeout"               // seconds
	// fieldStaleProxies are node ports that have the proxy policy without a listener; none are
	// wanted.
	fieldStaleProxies = "staleProxyPorts"
)

// Fields that AWS changes together.
var (
	classicLogFields      = []string{fieldLog, fieldLogBucket, fieldLogPrefix, fieldLogInterval}
	classicDrainingFields = []string{fieldDraining, fieldDrainingTimeout}
)

// wantedAttributes are the attributes as managed fields. What has no meaning while something is
// off is not among them.
func wantedAttributes(spec cloud.Spec) map[string]string {
	o := spec.Options
	fields := map[string]string{
		fieldCrossZone: strconv.FormatBool(option.CrossZone.Bool(o)), fieldIdleTimeout: option.IdleTimeout.In(o),
		fieldLog: strconv.FormatBool(option.Log.Bool(o)), fieldDraining: strconv.FormatBool(option.Draining.Bool(o)),
	}
	if option.Log.Bool(o) {
		fields[fieldLogBucket], fields[fieldLogPrefix], fields[fieldLogInterval] = option.LogBucket.In(o), option.LogPrefix.In(o), option.LogInterval.In(o)
	}
	if option.Draining.Bool(o) {
		fields[fieldDrainingTimeout] = option.DrainingTimeout.In(o)
	}
	return fields
}

// viewAttributes are the attributes AWS has. Those that AWS adds itself, such as the mode of
// desync mitigation, are not managed.
func viewAttributes(a *elbtypes.LoadBalancerAttributes) map[string]string {
	if a == nil {
		return nil
	}
	fields := map[string]string{
		fieldCrossZone: strconv.FormatBool(a.CrossZoneLoadBalancing != nil && a.CrossZoneLoadBalancing.Enabled),
		fieldLog:       "false", fieldDraining: "false", fieldIdleTimeout: option.IdleTimeout.Default,
	}
	if s := a.ConnectionSettings; s != nil && s.IdleTimeout != nil {
		fields[fieldIdleTimeout] = number32(s.IdleTimeout)
	}
	if l := a.AccessLog; l != nil && l.Enabled {
		fields[fieldLog], fields[fieldLogBucket], fields[fieldLogPrefix] = "true", awssdk.ToString(l.S3BucketName), awssdk.ToString(l.S3BucketPrefix)
		fields[fieldLogInterval] = cmp.Or(number32(l.EmitInterval), option.LogInterval.Default)
	}
	if c := a.ConnectionDraining; c != nil && c.Enabled {
		fields[fieldDraining] = "true"
		fields[fieldDrainingTimeout] = cmp.Or(number32(c.Timeout), option.DrainingTimeout.Default)
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
func (c *classicChange) setAttributes(ctx context.Context) error {
	var a elbtypes.LoadBalancerAttributes
	any := false
	differs := func(fields ...string) bool {
		differs := slices.ContainsFunc(fields, c.differs)
		any = any || differs
		return differs
	}
	want := c.want.ProviderFields
	if differs(fieldCrossZone) {
		a.CrossZoneLoadBalancing = &elbtypes.CrossZoneLoadBalancing{Enabled: want[fieldCrossZone] == "true"}
	}
	if differs(classicLogFields...) {
		a.AccessLog = &elbtypes.AccessLog{Enabled: want[fieldLog] == "true", EmitInterval: parse32(want[fieldLogInterval])}
		if a.AccessLog.Enabled {
			a.AccessLog.S3BucketName, a.AccessLog.S3BucketPrefix = new(want[fieldLogBucket]), new(want[fieldLogPrefix])
		}
	}
	if differs(classicDrainingFields...) {
		a.ConnectionDraining = &elbtypes.ConnectionDraining{Enabled: want[fieldDraining] == "true", Timeout: parse32(want[fieldDrainingTimeout])}
	}
	if differs(fieldIdleTimeout) {
		a.ConnectionSettings = &elbtypes.ConnectionSettings{IdleTimeout: parse32(want[fieldIdleTimeout])}
	}
	if !any {
		return nil
	}
	_, err := c.Classic.ModifyLoadBalancerAttributes(ctx, &elb.ModifyLoadBalancerAttributesInput{LoadBalancerName: c.lb().LoadBalancerName, LoadBalancerAttributes: &a})
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
