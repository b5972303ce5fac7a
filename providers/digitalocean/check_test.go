package digitalocean

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/firewall"
)

// Ids of objects that a Service names.
const (
	theCertificate = "892071a0-bb95-49bc-8021-3afd67a210bf"
	theSubnet      = "1f1e3a52-0000-4000-8000-000000000000"
)

// TestAnnotationValues checks validation through the declared keys.
func TestAnnotationValues(t *testing.T) {
	const bad = "(refused)"
	tests := []struct{ key, value, want string }{
		{"name", "web.shop-1", "web.shop-1"},
		{"name", "-web", bad},
		{"name", "web-", bad},
		{"name", "wéb", bad},
		{"type", "GLOBAL", bad},
		{"type", "regional", bad},
		{"network", "INTERNAL", "true"},
		{"network", "EXTERNAL", "false"},
		{"network", "internal", bad},
		{"ip", " 192.0.2.1 ", "192.0.2.1"},
		{"ip", "2001:db8::1", bad},
		{"subnet-uuid", "6B2F0C2E-1111-4000-8000-000000000000", "6b2f0c2e-1111-4000-8000-000000000000"},
		{"subnet-uuid", "../droplets/1", bad},
		{"subnet-uuid", "not-a-uuid", bad},
		{"certificate-id", "a/b", bad},
		{"certificate-id", "web", bad},
		{"size-unit", "0", "0"},
		{"size-unit", "101", bad},
		{"size-slug", "lb-huge", bad},
		{"http-ports", "80, 443", "80,443"},
		{"http-ports", "http", bad},
		{"http3-port", "0", bad},
		{"http-idle-timeout-seconds", "29", bad},
		{"http-idle-timeout-seconds", "2m", "120"},
		{"healthcheck-check-interval-seconds", "3", "3"},
		{"healthcheck-check-interval-seconds", "2s", bad},
		{"healthcheck-check-interval-seconds", "3.5s", bad},
		{"healthcheck-unhealthy-threshold", "1", bad},
		{"healthcheck-path", "healthz", bad},
		{"healthcheck-protocol", "HTTP", bad},
		{"sticky-sessions-cookie-name", "x", bad},
		{"sticky-sessions-cookie-ttl", "34651", bad},
		{"allow-rules", "ip:192.0.2.1, cidr:10.1.2.3/8", "cidr:10.0.0.0/8,ip:192.0.2.1"},
		{"allow-rules", "10.0.0.0/8", bad},
		{"deny-rules", "cidr:10.0.0.0", bad},
		{"kubernetes.digitalocean.com/load-balancer-id", "6b2f0c2e-1111-4000-8000-000000000000", "6b2f0c2e-1111-4000-8000-000000000000"},
		{"kubernetes.digitalocean.com/load-balancer-id", "../droplets/1", bad},
	}
	for _, test := range tests {
		t.Run(test.key+"="+test.value, func(t *testing.T) {
			values, problems := desired.Annotations().Parse(prefixed(map[string]string{test.key: test.value}))
			if test.want == bad {
				if len(problems) != 1 || problems[0].Warning || problems[0].Want == "" {
					t.Errorf("problems = %v, want one", problems)
				}
				return
			}
			if len(problems) != 0 {
				t.Fatal(problems)
			}
			for _, got := range values {
				if got != test.want {
					t.Errorf("value = %q, want %q", got, test.want)
				}
			}
		})
	}
}

// TestLenientAnnotations are the ones upstream reads without refusing anything, or whose
// refusal would keep a Service from being deleted.
func TestLenientAnnotations(t *testing.T) {
	for _, key := range []string{
		"tls-passthrough", "sticky-sessions-type", "algorithm",
		"kubernetes.digitalocean.com/firewall-managed", "service.kubernetes.io/do-loadbalancer-disown",
	} {
		_, problems := desired.Annotations().Parse(prefixed(map[string]string{key: "maybe"}))
		if len(problems) != 1 || !problems[0].Warning {
			t.Errorf("%s: problems = %v, want one warning", key, problems)
		}
	}
}

func FuzzCheckRules(f *testing.F) {
	for _, seed := range []string{"ip:192.0.2.1", "cidr:10.1.2.3/8,ip:::1", "cidr:fe80::1%eth0/64", "ip:", ",", "cidr:0.0.0.0/0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		check := option.Allow.Check
		canonical, ok := check(value)
		if !ok {
			return
		}
		if again, ok := check(canonical); !ok || again != canonical {
			t.Errorf("checkRules(%q) is not stable: %q, then %q", value, canonical, again)
		}
		for _, network := range firewall.ClientNetworks(option.Allow.List(map[string]string{option.Allow.Name: canonical})) {
			if prefixes(network)[0].Masked().String() != network {
				t.Errorf("%q becomes the network %q", canonical, network)
			}
		}
	})
}
