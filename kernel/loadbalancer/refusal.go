package loadbalancer

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// refusal reports whether the failure of a creation means that the same request will fail again.
//
//	class                                           is a refusal
//	invalid, quota, not found, unauthorized         at once
//	conflict, unknown                               when it comes again and again
//	throttled, transient                            never
func (p *pipeline) refusal(err error) bool {
	switch cloud.FailureOf(err).Class {
	case cloud.FailureInvalid, cloud.FailureQuota, cloud.FailureNotFound, cloud.FailureUnauthorized:
		return true
	case cloud.FailureConflict, cloud.FailureUnknown:
		p.state.Refusals++
		return p.state.Refusals > mostRefusals
	}
	return false
}

// mostRefusals is how many creations in a row may fail for reasons that may pass.
const mostRefusals = 5
