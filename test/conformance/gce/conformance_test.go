// Package gce_test holds the driver of Google Cloud against the suite every driver has to pass, and
// against what only this cloud does, on a strict emulator of its API.
package gce_test

import (
	"net/http"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/gce"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Harness{
		New: func(t *testing.T) (*cloud.Driver, conformance.Control) {
			l := newLab(t, client{})
			return l.driver, l.control
		},
		Descriptor: gce.Descriptor(),
		Foreign:    []string{"gce://other-project/%s", "gce://other-project/%s/more", "gce://example.com:test-project/%s"},
		Errors: map[string]conformance.APIError{
			"403":                 {Fault: conformance.Fault{Status: http.StatusForbidden}, Want: cloud.FailureUnauthorized},
			"412":                 {Fault: conformance.Fault{Status: http.StatusPreconditionFailed}, Want: cloud.FailureConflict},
			"rate limit":          refusal(http.StatusForbidden, "rateLimitExceeded", cloud.FailureThrottled),
			"rate limit of users": refusal(http.StatusForbidden, "userRateLimitExceeded", cloud.FailureThrottled),
			"quota":               refusal(http.StatusForbidden, "quotaExceeded", cloud.FailureQuota),
			"API is off":          refusal(http.StatusForbidden, "accessNotConfigured", cloud.FailureUnauthorized),
			"in use":              refusal(http.StatusBadRequest, "resourceInUseByAnotherResource", cloud.FailureConflict),
			"invalid":             refusal(http.StatusBadRequest, "invalid", cloud.FailureInvalid),
			"404 of a proxy":      {Fault: conformance.Fault{Status: http.StatusNotFound, Body: `{"message": "no such page"}`}, Want: cloud.FailureUnknown},
		},
	})
}

func refusal(status int, reason string, want cloud.Class) conformance.APIError {
	body := `{"error": {"message": "no", "errors": [{"message": "no", "domain": "global", "reason": "` + reason + `"}]}}`
	return conformance.APIError{Fault: conformance.Fault{Status: status, Body: body}, Want: want}
}
