package elb

import (
	"cmp"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// The attributes, by their names in the API, each with the managed fields that AWS changes together.
var (
	attributeCrossZone = cloud.NewField[string]("CrossZoneLoadBalancing")
	attributeLog       = cloud.NewField[[]string]("AccessLog")
	attributeDraining  = cloud.NewField[[]string]("ConnectionDraining")
	attributeIdle      = cloud.NewField[string]("ConnectionSettings")
)

func attributeFields(b map[string]string) cloud.Fields {
	return cloud.FieldsOf(
		attributeCrossZone.Is(b[balancer.FieldCrossZone]),
		attributeLog.Is([]string{b[balancer.FieldLog], b[balancer.FieldLogInterval], b[balancer.FieldLogBucket], b[balancer.FieldLogPrefix]}),
		attributeDraining.Is([]string{b[desired.FieldDraining], b[desired.FieldDrainingTimeout]}),
		attributeIdle.Is(b[balancer.FieldIdleTimeout]),
	)
}

// viewAttributes are the attributes AWS has. Those that AWS adds itself, such as the mode of
// desync mitigation, are not managed.
func viewAttributes(a *types.LoadBalancerAttributes) map[string]string {
	fields := map[string]string{
		balancer.FieldCrossZone: strconv.FormatBool(a.CrossZoneLoadBalancing != nil && a.CrossZoneLoadBalancing.Enabled),
		balancer.FieldLog:       "false", desired.FieldDraining: "false", balancer.FieldIdleTimeout: desired.DefaultIdleTimeout,
	}
	if s := a.ConnectionSettings; s != nil && s.IdleTimeout != nil {
		fields[balancer.FieldIdleTimeout] = number32(s.IdleTimeout)
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
