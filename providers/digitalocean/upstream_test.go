package digitalocean

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// Each difference is about those that it is said of, and about no others.
func TestUpstreamDifferences(t *testing.T) {
	type service struct {
		spec     cloud.Spec
		observed cloud.Observed
	}
	found := func(kind string, edits ...func(*cloud.Balancer)) cloud.Observed {
		b := cloud.Balancer{Scope: cloud.ScopeExternal, ProviderFields: map[string]string{object.FieldType: kind}}
		for _, edit := range edits {
			edit(&b)
		}
		return cloud.Observed{Found: true, Balancer: b}
	}
	dual := func(b *cloud.Balancer) { b.DualStack = true }
	restricted := func(b *cloud.Balancer) { b.Allow = []string{"cidr:192.0.2.0/24"} }
	internal := func(b *cloud.Balancer) { b.Scope = cloud.ScopeInternal }
	asks := func(pairs ...string) cloud.Spec {
		options := map[string]string{}
		for n := 0; n < len(pairs); n += 2 {
			options[pairs[n]] = pairs[n+1]
		}
		return cloud.Spec{Options: options}
	}
	services := map[string]map[bool]service{
		"digitalocean-type":             {true: {asks(option.Type.Name, config.TypeNetwork), found(config.TypeRegional)}, false: {asks(option.Type.Name, config.TypeNetwork), found(config.TypeNetwork)}},
		"digitalocean-certificate-name": {true: {asks(option.CertificateName.Name, "web"), found(config.TypeRegional)}, false: {asks(option.CertificateName.Name, "web", option.CertificateID.Name, "1"), found(config.TypeRegional)}},
		"digitalocean-dual-stack":       {true: {asks(), found(config.TypeNetwork, dual)}, false: {asks(), found(config.TypeRegional, dual)}},
		"digitalocean-client-networks":  {true: {asks(), found(config.TypeNetwork, restricted)}, false: {asks(), found(config.TypeNetwork, restricted, internal)}},
	}
	type node struct {
		name, id string
		machine  cloud.Instance
	}
	private := cloud.Instance{ID: "1", Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "10.0.0.1"}}}
	public := cloud.Instance{ID: "1", Addresses: []cloud.Address{{Type: cloud.AddressExternalIP, Address: "192.0.2.1"}}}
	nodes := map[string]map[bool]node{
		"digitalocean-node-named-by-address": {true: {"10.0.0.1", "", private}, false: {"web-1", "", private}},
		"digitalocean-no-private-address":    {true: {"web-1", "digitalocean://1", public}, false: {"web-1", "digitalocean://1", private}},
	}
	for _, d := range Upstream().Differences {
		for want, s := range services[d.ID] {
			if got := d.Service(s.spec, s.observed); got != want {
				t.Errorf("%s: %v, want %v for %+v", d.ID, got, want, s)
			}
		}
		for want, n := range nodes[d.ID] {
			if got := d.Node(n.name, n.id, n.machine); got != want {
				t.Errorf("%s: %v, want %v for %+v", d.ID, got, want, n)
			}
		}
		if len(services[d.ID])+len(nodes[d.ID]) != 2 {
			t.Errorf("%s has no examples", d.ID)
		}
		if d.Service != nil && d.Service(cloud.Spec{}, cloud.Observed{}) || d.Node != nil && d.Node("", "", cloud.Instance{}) {
			t.Errorf("%s is about everything", d.ID)
		}
	}
}
