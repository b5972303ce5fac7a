package digitalocean

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

const (
	testUID  = "8b5a3c1e-0000-4000-8000-123456789abc"
	testName = "a8b5a3c1e000040008000123456789ab"
)

// testDriver is a driver without a network, for everything that is pure.
func testDriver(edit ...func(*config.Settings)) *Driver {
	s := config.Settings{Region: "nyc3", DefaultType: config.TypeNetwork}
	for _, f := range edit {
		f(&s)
	}
	return wire(godo.NewClient(nil), s, "digitalocean")
}

// testSpec is a Service with ports 80 and 443, annotated in upstream's way.
func testSpec(t *testing.T, annotations map[string]string, edit ...func(*cloud.Input)) cloud.Input {
	t.Helper()
	in := cloud.Input{
		Spec: cloud.Spec{
			Owner: cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: testUID},
			Ports: []cloud.Port{
				{Name: "http", Protocol: cloud.ProtocolTCP, Port: 80, NodePort: 30080},
				{Name: "https", Protocol: cloud.ProtocolTCP, Port: 443, NodePort: 30443},
			},
			HealthPort: 10256,
			Options:    parse(t, annotations),
		},
		Environment: cloud.Environment{
			Candidates: []cloud.Target{target("1", "10.0.0.1", "192.0.2.1", "2001:db8::1")},
		},
	}
	for _, f := range edit {
		f(&in)
	}
	return in
}

// parse returns the values of annotations that must be valid. Keys without a domain are
// upstream's.
func parse(t *testing.T, annotations map[string]string) map[string]string {
	t.Helper()
	values, problems := desired.Annotations().Parse(prefixed(annotations))
	for _, p := range problems {
		t.Errorf("annotation: %v", p)
	}
	return values
}

func prefixed(annotations map[string]string) map[string]string {
	full := map[string]string{}
	for key, value := range annotations {
		if !strings.Contains(key, "/") {
			key = option.Upstream + key
		}
		full[key] = value
	}
	return full
}

// target is a node with these addresses: private ones are internal, the others external.
func target(id string, addresses ...string) cloud.Target {
	t := cloud.Target{InstanceID: cloud.InstanceID(id), NodeName: "node-" + id}
	for _, a := range addresses {
		kind := cloud.AddressExternalIP
		if netip.MustParseAddr(a).IsPrivate() {
			kind = cloud.AddressInternalIP
		}
		t.Addresses = append(t.Addresses, cloud.Address{Type: kind, Address: a})
	}
	return t
}

func TestDescriptor(t *testing.T) {
	d := Descriptor()
	declared := map[string]cloud.Setting{}
	for _, s := range d.Settings {
		if s.Doc == "" || s.Name == "" {
			t.Errorf("setting %q has no documentation", s.Name)
		}
		declared[s.Name] = s
	}
	if _, ok := declared[d.Limits.QPSSetting]; !ok {
		t.Errorf("QPSSetting %q is not declared", d.Limits.QPSSetting)
	}
	if !declared[config.EnvToken].Secret || !declared[config.EnvToken].Required {
		t.Errorf("%s has to be a required secret", config.EnvToken)
	}
}

func TestAnnotationsAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range desired.Annotations() {
		if key.Doc == "" {
			t.Errorf("%s has no documentation", key.Name)
		}
		for _, name := range key.Spellings() {
			if seen[name] {
				t.Errorf("%s is declared twice", name)
			}
			seen[name] = true
		}
	}
	// Every key of upstream's documentation.
	for _, name := range []string{
		"name", "type", "network", "network-stack", "protocol", "http-ports", "tls-ports", "http2-ports",
		"http3-port", "tls-passthrough", "certificate-id", "certificate-name", "disable-lets-encrypt-dns-records",
		"redirect-http-to-https", "enable-proxy-protocol", "enable-backend-keepalive", "http-idle-timeout-seconds",
		"sticky-sessions-type", "sticky-sessions-cookie-name", "sticky-sessions-cookie-ttl", "algorithm",
		"size-slug", "size-unit", "healthcheck-check-interval-seconds", "healthcheck-response-timeout-seconds",
		"healthcheck-unhealthy-threshold", "healthcheck-healthy-threshold", "override-health-check",
		"healthcheck-port", "healthcheck-path", "healthcheck-protocol", "hostname", "deny-rules", "allow-rules",
		"ip", "subnet-uuid",
	} {
		if !seen[option.Upstream+name] {
			t.Errorf("%s%s is missing", option.Upstream, name)
		}
	}
	for _, name := range []string{
		"kubernetes.digitalocean.com/load-balancer-id", "kubernetes.digitalocean.com/firewall-managed",
		"service.kubernetes.io/do-loadbalancer-disown",
	} {
		if !seen[name] {
			t.Errorf("%s is missing", name)
		}
	}
}
