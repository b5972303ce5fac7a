package digitalocean

import (
	"bytes"
	"encoding/json"
	"net/netip"
	"testing"

	"github.com/digitalocean/godo"
	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// TestCreateRequest compares with what the upstream CCM sends for the same Service, up to
// our own tags.
func TestCreateRequest(t *testing.T) {
	const tags = `"tags": ["ccm-cloud:digitalocean", "ccm-cluster:prod", "ccm-service:shop:web:` + testUID + `"]`
	const check = `"health_check": {"protocol": "http", "port": 10256, "path": "/healthz", "check_interval_seconds": 3,
		"response_timeout_seconds": 5, "healthy_threshold": 5, "unhealthy_threshold": 3, "proxy_protocol": false}`
	const rest = `"name": "` + testName + `", "algorithm": "round_robin", "region": "nyc3", "droplet_ids": [1],
		"disable_lets_encrypt_dns_records": false, ` + tags
	const plain = rest + `, "firewall": {}, "sticky_sessions": {"type": "none"}`
	regional := map[string]string{"type": "REGIONAL"}
	tests := []struct {
		name        string
		annotations map[string]string
		edit        func(*cloud.Input)
		settings    func(*config.Settings)
		want        string
	}{
		{
			name: "default is a network balancer on the Service's own ports, and of its family",
			want: `{"type": "REGIONAL_NETWORK", "network": "EXTERNAL", "network_stack": "IPV4", "forwarding_rules": [
				{"entry_protocol": "tcp", "entry_port": 80, "target_protocol": "tcp", "target_port": 80},
				{"entry_protocol": "tcp", "entry_port": 443, "target_protocol": "tcp", "target_port": 443}], ` + check + `, ` + plain + `}`,
		},
		{
			name:        "regional",
			annotations: regional,
			want: `{"type": "REGIONAL", "network": "EXTERNAL", "network_stack": "DUALSTACK", "forwarding_rules": [
				{"entry_protocol": "tcp", "entry_port": 80, "target_protocol": "tcp", "target_port": 30080},
				{"entry_protocol": "tcp", "entry_port": 443, "target_protocol": "tcp", "target_port": 30443}], ` + check + `, ` + plain + `}`,
		},
		{
			name: "HTTPS with a certificate, cookies, source ranges, in a VPC",
			annotations: map[string]string{
				"type": "REGIONAL", "protocol": "http", "certificate-id": theCertificate, "redirect-http-to-https": "true",
				"sticky-sessions-type": "cookies", "sticky-sessions-cookie-name": "DO-LB", "sticky-sessions-cookie-ttl": "300",
				"http-idle-timeout-seconds": "90", "size-unit": "2", "deny-rules": "ip:198.51.100.7", "name": "shop-web",
			},
			edit: func(s *cloud.Input) {
				s.SourceRanges = []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("10.0.0.0/8")}
			},
			settings: func(s *config.Settings) { s.Vpc, s.ClusterTag = "vpc-1", "k8s:c-1" },
			want: `{"type": "REGIONAL", "network": "EXTERNAL", "network_stack": "DUALSTACK", "forwarding_rules": [
				{"entry_protocol": "http", "entry_port": 80, "target_protocol": "http", "target_port": 30080},
				{"entry_protocol": "https", "entry_port": 443, "target_protocol": "http", "target_port": 30443, "certificate_id": "` + theCertificate + `"}], ` + check + `,
				"name": "shop-web", "algorithm": "round_robin", "region": "nyc3", "droplet_ids": [1], "vpc_uuid": "vpc-1", "size_unit": 2,
				"disable_lets_encrypt_dns_records": false, "redirect_http_to_https": true, "http_idle_timeout_seconds": 90,
				"sticky_sessions": {"type": "cookies", "cookie_name": "DO-LB", "cookie_ttl_seconds": 300},
				"firewall": {"allow": ["cidr:10.0.0.0/8", "cidr:203.0.113.0/24"], "deny": ["ip:198.51.100.7"]},
				"tags": ["ccm-cloud:digitalocean", "ccm-cluster:prod", "ccm-service:shop:web:` + testUID + `", "k8s:c-1"]}`,
		},
		{
			name:        "internal, local policy, no nodes",
			annotations: map[string]string{"network": "INTERNAL", "size-slug": "lb-medium", "algorithm": "least_connections", "ip": "192.0.2.9", "subnet-uuid": theSubnet},
			edit:        func(s *cloud.Input) { s.HealthPort, s.Local, s.Candidates = 31000, true, nil },
			want: `{"type": "REGIONAL_NETWORK", "network": "INTERNAL", "network_stack": "IPV4", "forwarding_rules": [
				{"entry_protocol": "tcp", "entry_port": 80, "target_protocol": "tcp", "target_port": 80},
				{"entry_protocol": "tcp", "entry_port": 443, "target_protocol": "tcp", "target_port": 443}],
				"health_check": {"protocol": "http", "port": 31000, "path": "/healthz", "check_interval_seconds": 3,
				"response_timeout_seconds": 5, "healthy_threshold": 5, "unhealthy_threshold": 3, "proxy_protocol": false},
				"size": "lb-medium", "ip": "192.0.2.9", "subnet_uuid": "` + theSubnet + `", "name": "` + testName + `", "algorithm": "least_connections",
				"region": "nyc3", "disable_lets_encrypt_dns_records": false, "firewall": {}, "sticky_sessions": {"type": "none"}, ` + tags + `}`,
		},
		{
			name: "network balancer drops what the API would refuse",
			annotations: map[string]string{
				"enable-proxy-protocol": "true", "enable-backend-keepalive": "true", "redirect-http-to-https": "true",
				"http-idle-timeout-seconds": "120", "protocol": "udp", "certificate-name": "nowhere", "tls-ports": "443",
				"sticky-sessions-type": "cookies",
			},
			edit: func(s *cloud.Input) { s.DualStack = true },
			want: `{"type": "REGIONAL_NETWORK", "network": "EXTERNAL", "network_stack": "DUALSTACK", "forwarding_rules": [
				{"entry_protocol": "tcp", "entry_port": 80, "target_protocol": "tcp", "target_port": 80},
				{"entry_protocol": "tcp", "entry_port": 443, "target_protocol": "tcp", "target_port": 443}], ` + check + `, ` + plain + `}`,
		},
		{
			name: "overridden health check",
			annotations: map[string]string{
				"type": "REGIONAL", "override-health-check": "false", "healthcheck-port": "443", "healthcheck-path": "/up",
				"healthcheck-check-interval-seconds": "10", "network-stack": "IPV4",
			},
			want: `{"type": "REGIONAL", "network": "EXTERNAL", "network_stack": "IPV4", "forwarding_rules": [
				{"entry_protocol": "tcp", "entry_port": 80, "target_protocol": "tcp", "target_port": 30080},
				{"entry_protocol": "tcp", "entry_port": 443, "target_protocol": "tcp", "target_port": 30443}],
				"health_check": {"protocol": "http", "port": 30443, "path": "/up", "check_interval_seconds": 10,
				"response_timeout_seconds": 5, "healthy_threshold": 5, "unhealthy_threshold": 3}, ` + plain + `}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var edits []func(*config.Settings)
			if test.settings != nil {
				edits = append(edits, test.settings)
			}
			d := testDriver(edits...)
			in := testSpec(t, test.annotations)
			if test.edit != nil {
				test.edit(&in)
			}
			b, _, err := d.Normalize(in)
			if err != nil {
				t.Fatal(err)
			}
			for _, candidate := range in.Candidates {
				b.Targets = append(b.Targets, candidate.InstanceID)
			}
			got, err := object.Request(nil, b, d.Asked(in.Spec))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(canonicalJSON(t, []byte(test.want)), canonicalJSON(t, encoded(t, got))); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUpdateRequestKeepsTheRest starts from a balancer with everything set by somebody else.
func TestUpdateRequestKeepsTheRest(t *testing.T) {
	existing := &godo.LoadBalancer{
		ID: "lb", Type: config.TypeRegional, Status: "active", IP: "192.0.2.1", SizeUnit: 4, SizeSlug: "lb-small",
		ProjectID: "project", TLSCipherPolicy: "STRONG", VPCUUID: "vpc", Network: option.NetworkExternal, NetworkStack: option.StackIPv4,
		Region: &godo.Region{Slug: "nyc3"}, Tag: "pool", DropletIDs: []int{1, 2},
		HTTPIdleTimeoutSeconds: godo.PtrTo(uint64(75)), Tags: []string{"env:prod"},
	}
	d, in := testDriver(), testSpec(t, nil)
	in.Findings = d.Observed(existing, in.Spec).Findings
	b, _, err := d.Normalize(in)
	if err != nil {
		t.Fatal(err)
	}
	b.Targets = []cloud.InstanceID{"3"}
	got, err := object.Request(existing, b, d.Asked(in.Spec))
	if err != nil {
		t.Fatal(err)
	}
	want := &godo.LoadBalancerRequest{
		Name: testName, Algorithm: "round_robin", Region: "nyc3", SizeUnit: 4, Type: config.TypeRegional,
		ForwardingRules: []godo.ForwardingRule{
			{EntryProtocol: "tcp", EntryPort: 80, TargetProtocol: "tcp", TargetPort: 30080},
			{EntryProtocol: "tcp", EntryPort: 443, TargetProtocol: "tcp", TargetPort: 30443},
		},
		HealthCheck: &godo.HealthCheck{
			Protocol: "http", Port: 10256, Path: "/healthz", CheckIntervalSeconds: 3, ResponseTimeoutSeconds: 5,
			HealthyThreshold: 5, UnhealthyThreshold: 3, ProxyProtocol: godo.PtrTo(false),
		},
		StickySessions: &godo.StickySessions{Type: "none"}, DropletIDs: []int{3}, VPCUUID: "vpc",
		DisableLetsEncryptDNSRecords: godo.PtrTo(false), ProjectID: "project",
		HTTPIdleTimeoutSeconds: godo.PtrTo(uint64(60)), Firewall: &godo.LBFirewall{},
		Network: option.NetworkExternal, NetworkStack: option.StackIPv4, TLSCipherPolicy: "STRONG",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func canonicalJSON(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// requestOf is what a balancer is created from.
func requestOf(b cloud.Balancer) *godo.LoadBalancerRequest {
	request, _ := object.Request(nil, b, object.Asked{}) // it fails for targets only
	return request
}

// viewOf is a balancer on its way to the API and back.
func viewOf(b cloud.Balancer) cloud.Balancer {
	r := requestOf(b)
	managed := object.Managed{HealthProxy: b.Health != nil && b.Health.ProviderFields != nil}
	return object.View(&godo.LoadBalancer{ForwardingRules: r.ForwardingRules, HealthCheck: r.HealthCheck}, managed)
}
