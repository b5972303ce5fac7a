// Package openstack_test holds the OpenStack driver against the suite every driver has to
// pass, on real APIs: those of test/openstack/lab. It needs OS_AUTH_URL and the credentials of an
// administrator in the usual variables, and is skipped without.
package openstack_test

import (
	"net/http"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack"
)

func TestConformance(t *testing.T) {
	p := newProject(t)
	descriptor := openstack.Descriptor()
	descriptor.Capabilities.Balancers = false // TODO: until the driver has them
	conformance.Run(t, conformance.Harness{
		New: func(t *testing.T) (cloud.Driver, conformance.Control) {
			c := &control{T: t, project: p.in(t), transport: &transport{next: http.DefaultTransport}}
			t.Cleanup(c.clean)
			return c.connect(), c
		},
		Descriptor:  descriptor,
		Annotations: openstack.Annotations(),
		Machines:    pageSize + 1,
		Errors: map[string]conformance.APIError{
			"400":                   {Fault: conformance.Fault{Status: http.StatusBadRequest}, Want: cloud.FailureInvalid},
			"403":                   {Fault: conformance.Fault{Status: http.StatusForbidden}, Want: cloud.FailureUnauthorized},
			"412":                   {Fault: conformance.Fault{Status: http.StatusPreconditionFailed}, Want: cloud.FailureConflict},
			"404 of a proxy":        {Fault: conformance.Fault{Status: http.StatusNotFound, Body: "<html>no such site</html>"}, Want: cloud.FailureUnknown},
			"404 of a JSON gateway": {Fault: conformance.Fault{Status: http.StatusNotFound, Body: `{"message": "no route matched"}`}, Want: cloud.FailureUnknown},
		},
	})
}
