package aws

import (
	"net/http"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

// Fail makes calls wrong after the first few.
func (c *Control) Fail(f conformance.Fault, after int) {
	wrong := fault.Fault{Mutating: f.Writes, Skip: after, Status: f.Status, Body: f.Body, Hang: f.Hang}
	switch {
	case f.RetryAfter > 0:
		wrong.Header = map[string]string{"Retry-After": strconv.Itoa(int(f.RetryAfter.Seconds()))}
	case f.Truncate:
		keep := 5
		wrong.Truncate = &keep
	case f.Lost:
		wrong.Apply, wrong.Drop = true, true
	case f.Nonsense:
		wrong.Status, wrong.Body = http.StatusOK, "<html>a proxy</html>"
	case f.Blank:
		wrong.Status, wrong.Body = http.StatusOK, "{}"
	}
	c.proxy.AddFault(wrong)
}

// Heal ends all faults.
func (c *Control) Heal() { c.proxy.Faults.Clear() }

// documented are errors with a code of their own.
func documented() map[string]conformance.APIError {
	errors := map[string]conformance.APIError{
		"404 of a proxy": {Fault: conformance.Fault{Status: http.StatusNotFound, Body: "<html>no such site</html>"}, Want: cloud.FailureUnknown},
	}
	for _, e := range []struct {
		service, code string
		status        int
		want          cloud.Class
	}{
		{proxy.Compute, "RequestLimitExceeded", http.StatusServiceUnavailable, cloud.FailureThrottled},
		{proxy.Network, "Throttling", http.StatusBadRequest, cloud.FailureThrottled},
		{proxy.Compute, "UnauthorizedOperation", http.StatusForbidden, cloud.FailureUnauthorized},
		{proxy.Network, "AccessDenied", http.StatusForbidden, cloud.FailureUnauthorized},
		{proxy.Network, "ExpiredToken", http.StatusForbidden, cloud.FailureUnauthorized},
		{proxy.Compute, "AuthFailure", http.StatusUnauthorized, cloud.FailureUnauthorized},
		{proxy.Compute, "SecurityGroupLimitExceeded", http.StatusBadRequest, cloud.FailureQuota},
		{proxy.Compute, "RulesPerSecurityGroupLimitExceeded", http.StatusBadRequest, cloud.FailureQuota},
		{proxy.Compute, "RouteLimitExceeded", http.StatusBadRequest, cloud.FailureQuota},
		{proxy.Network, "TooManyLoadBalancers", http.StatusBadRequest, cloud.FailureQuota},
		{proxy.Network, "TooManyTargetGroups", http.StatusBadRequest, cloud.FailureQuota},
		{proxy.Network, "TooManyListeners", http.StatusBadRequest, cloud.FailureQuota},
		{proxy.Compute, "DependencyViolation", http.StatusBadRequest, cloud.FailureConflict},
		{proxy.Network, "ResourceInUse", http.StatusBadRequest, cloud.FailureConflict},
		{proxy.Compute, "InvalidParameterValue", http.StatusBadRequest, cloud.FailureInvalid},
		{proxy.Network, "ValidationError", http.StatusBadRequest, cloud.FailureInvalid},
	} {
		body := proxy.Error(e.service, e.code, "as AWS says")
		errors[e.code] = conformance.APIError{Fault: conformance.Fault{Status: e.status, Body: body}, Want: e.want}
	}
	return errors
}
