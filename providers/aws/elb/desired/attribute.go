package desired

import (
	"cmp"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Managed fields that only classic balancers have.
const (
	FieldDraining        = "connectionDraining"
	FieldDrainingTimeout = "connectionDrainingTimeout" // seconds, only while draining is on
)

// DefaultIdleTimeout is AWS's default, in seconds.
const DefaultIdleTimeout = "60"

// Attributes are the attributes as managed fields. What has no meaning while something is
// off is not among them.
func Attributes(spec cloud.Spec) map[string]string {
	o := spec.Options
	fields := map[string]string{
		balancer.FieldCrossZone:   strconv.FormatBool(option.CrossZone.Bool(o)),
		balancer.FieldIdleTimeout: cmp.Or(option.ClassicTimeout.In(o), option.IdleTimeout.In(o), DefaultIdleTimeout),
		balancer.FieldLog:         strconv.FormatBool(option.Log.Bool(o)), FieldDraining: strconv.FormatBool(option.Draining.Bool(o)),
	}
	if option.Log.Bool(o) {
		fields[balancer.FieldLogBucket], fields[balancer.FieldLogPrefix], fields[balancer.FieldLogInterval] = option.LogBucket.In(o), option.LogPrefix.In(o), option.LogInterval.In(o)
	}
	if option.Draining.Bool(o) {
		fields[FieldDrainingTimeout] = option.DrainingTimeout.In(o)
	}
	return fields
}
