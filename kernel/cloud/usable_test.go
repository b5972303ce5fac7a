package cloud

import (
	"slices"
	"testing"
)

func TestUsable(t *testing.T) {
	for text, want := range map[string]struct{ elsewhere, here bool }{
		"10.0.0.1":           {true, true},
		"169.254.0.7":        {true, true},
		"fe80::1":            {true, true},
		"2001:db8::1":        {true, true},
		"host":               {true, true},
		"":                   {true, true},
		"0.0.0.0":            {false, false},
		"::":                 {false, false},
		"0:0:0:0:0:0:0:0":    {false, false},
		"::ffff:0.0.0.0":     {false, false},
		"224.0.0.1":          {false, false},
		"239.1.2.3":          {false, false},
		"ff02::1":            {false, false},
		"127.0.0.1":          {false, true},
		"127.77.0.1":         {false, true},
		"::1":                {false, true},
		"::ffff:127.0.0.1":   {false, true},
		"::ffff:192.168.0.1": {true, true},
	} {
		for _, here := range []bool{false, true} {
			c := Capabilities{Loopback: here}
			wanted := want.elsewhere && !here || want.here && here
			machine := []Address{{AddressHostname, "n"}, {AddressInternalIP, text}, {AddressExternalIP, "192.0.2.1"}}
			given := slices.Clone(machine)
			if got := c.UsableMachine(machine); slices.Contains(got, machine[1]) != wanted || !slices.Contains(got, machine[0]) || !slices.Contains(got, machine[2]) {
				t.Errorf("%q, loopback %t: machine %v", text, here, got)
			}
			if !slices.Equal(machine, given) {
				t.Errorf("%q: the driver's addresses have become %v", text, machine)
			}
			balancer := []BalancerAddress{{IP: text, Hostname: "lb"}, {Hostname: "lb.example"}}
			if got := c.UsableBalancer(balancer); slices.Contains(got, balancer[0]) != wanted || !slices.Contains(got, balancer[1]) {
				t.Errorf("%q, loopback %t: balancer %v", text, here, got)
			}
		}
	}
}
