package toycloud_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/examples/toycloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
)

func TestConformance(t *testing.T) {
	const fixed = "the API has no such field: it is what the cloud does"
	conformance.Run(t, conformance.Harness{
		New: func(t *testing.T) (*cloud.Driver, conformance.Control) {
			s := newToy()
			return newDriver(t, s), s
		},
		Descriptor:  toycloud.Descriptor(),
		Annotations: toycloud.Annotations(),
		Variations:  map[string]conformance.Variation{toycloud.Internal.Name: {Value: "true"}},
		Constant: map[string]string{
			"dualStack": fixed, "health.protocol": fixed, "health.path": fixed, "health.interval": fixed,
			"health.timeout": fixed, "health.healthy": fixed, "health.unhealthy": fixed,
		},
		Impossible: map[string]string{"mixed-protocols": "a balancer has one listener for each port"},
		Errors: map[string]conformance.APIError{
			"quota":         {Fault: conformance.Fault{Status: http.StatusForbidden, Body: `{"code":"quota_exceeded","message":"full"}`}, Want: cloud.FailureQuota},
			"404 of others": {Fault: conformance.Fault{Status: http.StatusNotFound, Body: "<html>no such site</html>"}, Want: cloud.FailureUnknown},
		},
		Passes: 8,
	})
}

// newDriver returns a driver that talks to the cloud through a real connection.
func newDriver(t *testing.T, s *toy) *cloud.Driver {
	t.Helper()
	server := httptest.NewServer(s)
	base := &http.Transport{}
	t.Cleanup(func() {
		s.Heal()
		base.CloseIdleConnections()
		server.Close()
	})
	driver, err := toycloud.New(t.Context(), cloud.Config{
		Cloud: "toycloud", Transport: transport.Guard(base, toycloud.Descriptor().Limits), UserAgent: "multicloud-ccm/test",
		Lookup: func(string) string { return server.URL },
		Secret: func(string) (string, error) { return toyToken, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return driver
}
