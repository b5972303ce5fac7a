package option

import (
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

// TestConfiguredPlaces are checked like annotations, before anything is made of them.
func TestConfiguredPlaces(t *testing.T) {
	const id = "0e6f1c1e-5b0c-4a52-9a4f-0b2a3a1d8a11"
	good := config.Config{Balancer: config.Balancer{Flavor: id, Placement: config.Placement{Network: id, Subnet: id, MemberSubnet: id, FloatingNetwork: id, FloatingSubnet: id, FloatingSubnetName: "public-*"}}}
	if err := Check(good); err != nil {
		t.Error(err)
	}
	bad := config.Config{
		Balancer: config.Balancer{Flavor: "m1", Placement: config.Placement{Network: "nodes", FloatingSubnetName: "~["}},
		Classes:  map[string]config.Class{"gold": {Placement: config.Placement{FloatingNetwork: "public"}}},
	}
	err := Check(bad)
	for _, want := range []string{"[LoadBalancer] flavor-id", "[LoadBalancer] network-id", "[LoadBalancer] floating-subnet", `[LoadBalancerClass "gold"] floating-network-id`, "m1", "nodes", "public"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}
