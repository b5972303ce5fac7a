package openstack_test

import (
	"net/http"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack"
	lab "github.com/multicloud-ccm/multicloud-ccm/test/openstack"
)

// TestConformance runs the suite in one project: what a check leaves is deleted before the next.
func TestConformance(t *testing.T) {
	p := newProject(t)
	conformance.Run(t, conformance.Harness{
		New: func(t *testing.T) (*cloud.Driver, conformance.Control) {
			c := p.control(t)
			return c.connect(), c
		},
		Descriptor:  openstack.Descriptor(),
		Annotations: openstack.Annotations(),
		Variations:  p.variations(),
		Traffic:     carriedOut(),
		With:        map[string]string{own + "enable-health-monitor": "true"},
		Slow:        true,
		Names:       map[string]string{p.SubnetID: "the nodes' subnet"},
		Refused: map[string]conformance.Service{
			"a flavor that is not there":             refused("flavor-id", nowhere),
			"a zone that is not there":               refused("availability-zone", "nowhere"),
			"a subnet that is not there":             refused("subnet-id", nowhere),
			"a network that is not there":            refused("network-id", nowhere),
			"a floating network that is not there":   refused("floating-network-id", nowhere),
			"a floating subnet that is not there":    refused("floating-subnet-id", nowhere),
			"a floating subnet of no such name":      refused("floating-subnet", "nowhere-*"),
			"a floating network that is not outside": refused("floating-network-id", p.NetworkID),
			"a port that is not there":               refused("port-id", nowhere),
		},
		Constant: map[string]string{
			"provider":        "the configuration's choice",
			"memberFamily":    "it follows the family of the balancer's address, which does not change",
			"listener.tagged": "every listener is tagged; only upstream's are not",
		},
		ProviderIDs: []string{"/%s", lab.Region + "/%s", "openstack://" + lab.Region + "/%s"},
		Foreign:     []string{"openstack://RegionTwo/%s", "RegionTwo/%s"},
		Machines:    pageSize + 1,
		Passes:      20,
		Errors: map[string]conformance.APIError{
			"400":                   {Fault: conformance.Fault{Status: http.StatusBadRequest}, Want: cloud.FailureInvalid},
			"403":                   {Fault: conformance.Fault{Status: http.StatusForbidden}, Want: cloud.FailureUnauthorized},
			"412":                   {Fault: conformance.Fault{Status: http.StatusPreconditionFailed}, Want: cloud.FailureConflict},
			"501":                   {Fault: conformance.Fault{Status: http.StatusNotImplemented}, Want: cloud.FailureInvalid},
			"404 of a proxy":        {Fault: conformance.Fault{Status: http.StatusNotFound, Body: "<html>no such site</html>"}, Want: cloud.FailureUnknown},
			"404 of a JSON gateway": {Fault: conformance.Fault{Status: http.StatusNotFound, Body: `{"message": "no route matched"}`}, Want: cloud.FailureUnknown},
			"quota of balancers":    {Fault: conformance.Fault{Status: http.StatusForbidden, Body: `{"faultcode": "Client", "faultstring": "Quota has been met for resources: Load Balancer", "debuginfo": null}`}, Want: cloud.FailureQuota},
			"quota of the network":  {Fault: conformance.Fault{Status: http.StatusConflict, Body: `{"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: ['floatingip'].", "detail": ""}}`}, Want: cloud.FailureQuota},
		},
	})
}

// nowhere is the id of nothing.
const nowhere = "00000000-0000-4000-8000-000000000000"

// refused is a Service with an annotation.
func refused(key, value string) conformance.Service {
	return conformance.Service{
		Name:        "refused",
		Ports:       []cloud.Port{{Name: "http", Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080}},
		Annotations: map[string]string{own + key: value},
	}
}
