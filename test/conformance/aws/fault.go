package aws

import (
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
	conformancefault "github.com/multicloud-ccm/multicloud-ccm/test/conformance/fault"
)

// Fail makes calls wrong after the first few.
func (c *Control) Fail(f conformance.Fault, after int) {
	c.proxy.AddFault(conformancefault.After(f, after))
}

// Heal ends all faults.
func (c *Control) Heal() { c.proxy.Faults.Clear() }

// documented are errors with a code of their own.
func documented() map[string]conformance.APIError {
	errors := map[string]conformance.APIError{
		"404 of a proxy": {Fault: conformance.Fault{Status: http.StatusNotFound, Body: "<html>no such site</html>"}, Want: cloud.FailureUnknown},
	}
	for _, e := range []struct {
		code   string
		status int
		want   cloud.Class
	}{
		{"RequestLimitExceeded", http.StatusServiceUnavailable, cloud.FailureThrottled},
		{"Throttling", http.StatusBadRequest, cloud.FailureThrottled},
		{"UnauthorizedOperation", http.StatusForbidden, cloud.FailureUnauthorized},
		{"AccessDenied", http.StatusForbidden, cloud.FailureUnauthorized},
		{"ExpiredToken", http.StatusForbidden, cloud.FailureUnauthorized},
		{"AuthFailure", http.StatusUnauthorized, cloud.FailureUnauthorized},
		{"SecurityGroupLimitExceeded", http.StatusBadRequest, cloud.FailureQuota},
		{"RulesPerSecurityGroupLimitExceeded", http.StatusBadRequest, cloud.FailureQuota},
		{"RouteLimitExceeded", http.StatusBadRequest, cloud.FailureQuota},
		{"TooManyLoadBalancers", http.StatusBadRequest, cloud.FailureQuota},
		{"TooManyTargetGroups", http.StatusBadRequest, cloud.FailureQuota},
		{"TooManyListeners", http.StatusBadRequest, cloud.FailureQuota},
		{"DependencyViolation", http.StatusBadRequest, cloud.FailureConflict},
		{"ResourceInUse", http.StatusBadRequest, cloud.FailureConflict},
		{"InvalidParameterValue", http.StatusBadRequest, cloud.FailureInvalid},
		{"ValidationError", http.StatusBadRequest, cloud.FailureInvalid},
	} {
		fault := conformance.Fault{Status: e.status, Body: proxy.Error(e.code, "as AWS says")}
		errors[e.code] = conformance.APIError{Fault: fault, Want: e.want}
	}
	return errors
}
