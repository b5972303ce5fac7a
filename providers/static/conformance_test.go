package static_test

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/inventory"
	"github.com/multicloud-ccm/multicloud-ccm/providers/static"
)

func TestConformance(t *testing.T) {
	internal := func(ip string) []cloud.Address {
		return []cloud.Address{{Type: cloud.AddressHostname, Address: "nas-1"}, {Type: cloud.AddressInternalIP, Address: ip}}
	}
	conformance.Run(t, conformance.Harness{
		Offline: true,
		New: func(t *testing.T) (*cloud.Driver, conformance.Control) {
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

// With an inventory its entries say what the machines of Nodes are.
func TestConformanceWithAnInventory(t *testing.T) {
	read := source(t, `region: home
machines:
- {name: nas-1, zone: cellar, type: n100, labels: {disk: hdd}, internalIPs: [10.0.0.5], externalIPs: [203.0.113.7, "2001:db8::7"]}
- {names: "rack2-*", zone: rack2}
- {selector: site=office, region: town, externalIPs: [203.0.113.7]}
`)
	nas := []cloud.Address{
		{Type: cloud.AddressHostname, Address: "nas-1"}, {Type: cloud.AddressInternalIP, Address: "10.0.0.4"}, {Type: cloud.AddressExternalIP, Address: "203.0.113.8"},
	}
	office, told := map[string]string{"site": "office"}, map[string]string{nodeIP: "10.0.0.6"}
	conformance.Run(t, conformance.Harness{
		Offline: true, Inventory: read,
		New: func(t *testing.T) (*cloud.Driver, conformance.Control) {
			c := control{requests: &atomic.Int64{}}
			return driverOf(t, cloud.Config{Default: true, Transport: c, Inventory: read}, map[string]string{"STATIC_ZONE": "attic"}), c
		},
		Descriptor: static.Descriptor(),
		Described: []cloud.NodeAttributes{
			{Name: "nas-1"},
			{Name: "nas-1", Addresses: nas},
			{Name: "nas-1", Addresses: nas, Annotations: told, ProviderID: "static://nas-1"},
			{Name: "rack2-1", Annotations: told},
			{Name: "rack2-2", Addresses: addresses("InternalIP", "10.0.0.7", "ExternalIP", "203.0.113.8"), ProviderID: "static://another"},
			{Name: "desk", Labels: office, Annotations: told},
			{Name: "in-no-entry", Addresses: nas, ProviderID: "static://in-no-entry"},
		},
	})
}

// source is an inventory with this text.
func source(t *testing.T, text string) cloud.Inventory {
	t.Helper()
	read, err := inventory.Open(func() ([]byte, error) {
		return []byte("apiVersion: " + cloud.InventoryVersion + "\nkind: " + cloud.InventoryKind + "\n" + text), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return read
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

func driver(t *testing.T, settings map[string]string, transport http.RoundTripper) *cloud.Driver {
	t.Helper()
	return driverOf(t, cloud.Config{Default: true, Transport: transport}, settings)
}

func driverOf(t *testing.T, config cloud.Config, settings map[string]string) *cloud.Driver {
	t.Helper()
	config.Cloud, config.ClusterName, config.Lookup = "static", "kubernetes", func(name string) string { return settings[name] }
	d, err := static.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
