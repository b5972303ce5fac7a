package digitalocean_test

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// TestCheckBeforeReplacement: the API is asked whether it would make the new balancer before the
// one that serves goes. What that one uses counts as free.
func TestCheckBeforeReplacement(t *testing.T) {
	const address = "203.0.113.9"
	tests := map[string]struct {
		env     map[string]string
		prepare func(*lab)
		refused bool
	}{
		"nothing is wrong":          {},
		"a VPC that does not exist": {env: map[string]string{"DO_CLUSTER_VPC_ID": "5ee0a1f2-0000-4000-8000-00000000ffff"}, refused: true},
		"the quota is used up":      {prepare: func(l *lab) { l.server.LoadBalancers.SetLimit(1) }},
		"the address of the present one": {prepare: func(l *lab) {
			l.edit(func(b *emulator.Balancer) { b.IP = address })
			l.annotate(map[string]string{"ip": address, "network-stack": "IPV4"})
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, 1, nil, nil)
			// The API's description does not say whether two may have one name.
			l.server, l.url = startWith(t, emulator.Options{UniqueBalancerNames: true})
			l.driver = connect(t, l.url, nil)
			l.server.Droplets.Seed(1)
			l.nodes()
			l.ensure()
			if test.prepare != nil {
				test.prepare(l)
			}
			l.driver = connect(t, l.url, test.env)
			before := l.observe()
			l.input.Findings = before.Findings
			l.server.ResetTraffic()
			err := l.driver.Balancers.Checker.Check(t.Context(), l.input, before)
			if (err != nil) != test.refused {
				t.Errorf("Check = %v, want a refusal: %t", err, test.refused)
			}
			if class := l.driver.Classify(err).Class; test.refused && class != cloud.FailureInvalid {
				t.Errorf("class %s of %v", class, err)
			}
			wantRequests(t, "Check", l.requests(), create)
			l.balancer() // still one
		})
	}
}

func TestCoexist(t *testing.T) {
	l := newLab(t, 1, nil, nil)
	l.ensure()
	replacer := l.driver.Balancers.Replacer
	if why := replacer.Coexist(l.input, l.observe()); why != "" {
		t.Errorf("Coexist = %q, want that both can be there", why)
	}
	l.annotate(map[string]string{"ip": l.balancer().IP})
	if why := replacer.Coexist(l.input, l.observe()); why == "" {
		t.Error("two balancers can have one address")
	}
}
