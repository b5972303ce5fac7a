package run

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

// driverMethod is a method of a driver that is called. Its name is a label of metrics and part of error texts, so
// it never changes.
type driverMethod struct {
	name string
	// read says that repeating the call does no harm.
	read bool
}

// The driver calls.
var (
	opIdentity          = driverMethod{"identity", true}
	opParseProviderID   = driverMethod{"parse provider id", false}
	opListInstances     = driverMethod{"list instances", true}
	opGetInstances      = driverMethod{"get instances", true}
	opFindInstance      = driverMethod{"find instance", true}
	opReadLabels        = driverMethod{"read labels", true}
	opTagMachines       = driverMethod{"tag machines", false}
	opUntagMachines     = driverMethod{"untag machines", false}
	opObserveBalancer   = driverMethod{"observe balancer", true}
	opListBalancers     = driverMethod{"list balancers", true}
	opReadNetwork       = driverMethod{"read network", true}
	opNormalizeBalancer = driverMethod{"normalize balancer", false}
	opCheckBalancer     = driverMethod{"check balancer", true}
	opPlanBalancer      = driverMethod{"plan balancer", true}
	opApplyBalancer     = driverMethod{"apply balancer", false}
	opListRoutes        = driverMethod{"list routes", true}
	opCreateRoute       = driverMethod{"create route", false}
	opDeleteRoute       = driverMethod{"delete route", false}
	opObserveFirewall   = driverMethod{"observe firewall", true}
	opNormalizeFirewall = driverMethod{"normalize firewall", false}
	opApplyFirewall     = driverMethod{"apply firewall", false}
	opOperationStates   = driverMethod{"read operations", true}
)

const (
	// maxTries is how often a read is tried within one call.
	maxTries = 3
	// maxRetryAfter is the longest wait the cloud may ask for that is still spent inside
	// the call; a longer one goes back to the caller, who has other work.
	maxRetryAfter = 5 * time.Second
)

// retry says whether a call that failed on its nth try is tried again, and after how long.
//
//	class      read                                       write
//	transient  backoff                                    never
//	throttled  RetryAfter (or backoff), when at most 5 s  never
//	           never, for labels: see maxLabelRepeats
//	others     never                                      never
//
// A write is never repeated here: only the caller, who observes again first, can know
// whether the first one took effect.
func (op driverMethod) retry(failure cloud.Failure, try int) (time.Duration, bool) {
	if !op.read || try >= maxTries {
		return 0, false
	}
	switch failure.Class {
	case cloud.FailureTransient:
		return transport.Backoff(try), true
	case cloud.FailureThrottled:
		return max(failure.RetryAfter, transport.Backoff(try)), failure.RetryAfter <= maxRetryAfter && op != opReadLabels
	default:
		return 0, false
	}
}
