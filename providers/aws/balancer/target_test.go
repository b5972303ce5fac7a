package balancer

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// A machine is behind a balancer by its id or by any of its addresses; a target that is no candidate leaves a doubt.
func TestBehind(t *testing.T) {
	candidate := func(id string, addresses ...string) cloud.Target {
		c := cloud.Target{InstanceID: cloud.InstanceID(id)}
		for _, a := range addresses {
			c.Addresses = append(c.Addresses, cloud.Address{Type: cloud.AddressInternalIP, Address: a})
		}
		return c
	}
	candidates := []cloud.Target{candidate("i-1", "10.0.0.1"), candidate("i-2", "10.0.0.2", "10.0.1.2"), candidate("i-3", "10.0.0.3")}
	for name, test := range map[string]struct {
		targets []cloud.InstanceID
		behind  int
		doubt   bool
	}{
		"none":                     {nil, 0, false},
		"by id":                    {[]cloud.InstanceID{"i-1", "i-3"}, 2, false},
		"by an address":            {[]cloud.InstanceID{cloud.UnknownInstance("10.0.1.2")}, 1, false},
		"by both":                  {[]cloud.InstanceID{"i-2", cloud.UnknownInstance("10.0.0.2")}, 1, false},
		"an instance that is none": {[]cloud.InstanceID{"i-1", "i-9"}, 1, true},
		"an address of none":       {[]cloud.InstanceID{cloud.UnknownInstance("10.0.0.9")}, 0, true},
	} {
		behind, doubt := Behind(candidates, cloud.Balancer{Targets: test.targets})
		if len(behind) != test.behind || doubt != test.doubt {
			t.Errorf("%s: %d behind, doubt %v; want %d, %v", name, len(behind), doubt, test.behind, test.doubt)
		}
	}
}
