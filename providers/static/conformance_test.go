package static_test

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/static"
)

func TestConformance(t *testing.T) {
	internal := func(ip string) []cloud.Address {
		return []cloud.Address{{Type: cloud.AddressHostname, Address: "nas-1"}, {Type: cloud.AddressInternalIP, Address: ip}}
	}
	conformance.Run(t, conformance.Harness{
		Offline: true,
		New: func(t *testing.T) (cloud.Driver, conformance.Control) {
			c := control{requests: &atomic.Int64{}}
			return driver(t, map[string]string{"STATIC_SCHEMES": "k3s", "STATIC_ZONE": "cellar"}, c), c
		},
		Descriptor: static.Descriptor(),
		Described: []cloud.NodeAttributes{
			{Name: "nas-1"},
			{Name: "nas-1", Addresses: internal("192.168.1.5")},
			{Name: "nas-1", ProviderID: "static://nas-1", Addresses: internal("192.168.1.5"), Annotations: map[string]string{"alpha.kubernetes.io/provided-node-ip": "192.168.1.6"}},
			{Name: "nas-1", ProviderID: "static:///0d4c8f0a$", Addresses: internal("192.168.1.5")},
			{Name: "nas-1", ProviderID: "k3s://nas-1", Addresses: append(internal("192.168.1.5"), cloud.Address{Type: cloud.AddressExternalIP, Address: "203.0.113.7"})},
		},
	})
}

// control counts requests: nothing else is asked of it.
type control struct {
	conformance.Control
	requests *atomic.Int64
}

func (c control) Requests() (reads, writes int) { return int(c.requests.Load()), 0 }

// RoundTrip implements http.RoundTripper.
func (c control) RoundTrip(*http.Request) (*http.Response, error) {
	c.requests.Add(1)
	return nil, errors.New("there is no API")
}

func driver(t *testing.T, settings map[string]string, transport http.RoundTripper) cloud.Driver {
	t.Helper()
	d, err := static.New(t.Context(), cloud.Config{
		Cloud: "static", ClusterName: "kubernetes", Default: true, Transport: transport, Lookup: func(name string) string { return settings[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
