// Package hcloud_test holds the driver of Hetzner against the suite every driver has to pass, and against
// what only this cloud does, on a strict emulator of its APIs.
package hcloud_test

import (
	"net/http"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Harness{
		New: func(t *testing.T) (*cloud.Driver, conformance.Control) {
			server, _ := start(t, emulator.Options{})
			server.AddCertificate("shop", "shop.example.com")
			values := variables(server)
			values["ROBOT_ENABLED"] = "true"
			driver := mustConnect(t, values)
			server.ResetTraffic()
			return driver, control{t, server}
		},
		Descriptor: hcloud.Descriptor(), Annotations: hcloud.Annotations(),
		Variations: variations(), Traffic: carriedOut,
		Passes:     60, // each action is one
		Impossible: map[string]string{"many-ports": "a load balancer of the default type has 5 services"},
		Constant: map[string]string{
			"dualStack": "every load balancer has both families", "size": "where the key goes it stays, see TestSize",
			"maxTargets": "it follows the size", "listener.redirectHTTP": "it needs port 80, see TestRedirect",
			"network": "the configuration says it",
		},
		Described: []cloud.NodeAttributes{
			{Name: "metal-0", ProviderID: "hrobot://2000001", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.1.0.2"}}},
			{Name: "metal-1", ProviderID: "hcloud://bm-2000002", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.1.0.3"}}},
		},
		Errors: map[string]conformance.APIError{
			"locked":            refusal(http.StatusLocked, "locked", cloud.FailureConflict),
			"conflict":          refusal(http.StatusConflict, "conflict", cloud.FailureConflict),
			"forbidden":         refusal(http.StatusForbidden, "forbidden", cloud.FailureUnauthorized),
			"read-only token":   refusal(http.StatusForbidden, "token_readonly", cloud.FailureUnauthorized),
			"limit of projects": refusal(http.StatusForbidden, "resource_limit_exceeded", cloud.FailureQuota),
			"rate limit":        refusal(http.StatusTooManyRequests, "rate_limit_exceeded", cloud.FailureThrottled),
			"maintenance":       refusal(http.StatusServiceUnavailable, "maintenance", cloud.FailureTransient),
			"404 of a proxy":    {Fault: conformance.Fault{Status: http.StatusNotFound, Body: `{"message": "no such page"}`}, Want: cloud.FailureUnreadable},
		},
	})
}

func refusal(status int, code string, want cloud.Class) conformance.APIError {
	return conformance.APIError{Fault: conformance.Fault{Status: status, Body: `{"error": {"code": "` + code + `", "message": "no"}}`}, Want: want}
}
