package hcloud

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
)

// TestWritten: what is on Services and in plans is read by later versions.
func TestWritten(t *testing.T) {
	const key = "load-balancer.hetzner.cloud/"
	found := desired.Findings{Limits: &desired.Limits{Targets: 25, Services: 5, Certificates: 10}}
	d := &Driver{Balancers: &balancer.Balancers{Configuration: desired.Configuration{Network: 4}}, settings: config.Settings{Balancers: true}}
	conformance.Written{
		Driver: d.handOver(), Descriptor: Descriptor(), Annotations: Annotations(), ID: "471%d",
		Before:      cloud.Observed{Findings: desired.Found.Seal(found)},
		From:        map[string]string{key + "location": "fsn1", desired.Subnet.Name: "10.0.1.0/24"},
		To:          map[string]string{key + "location": "nbg1", desired.Subnet.Name: "10.0.2.0/24"},
		Replacement: `{"request":"56faae53d920a92319f033545213f914b3c59e075dd9eefc4b44670f9e346252","of":"4711","was":{"location":"fsn1","networkZone":"","subnet":"10.0.1.0/24"}}`,
		Services: []map[string]string{
			{
				key + "location": "fsn1", key + "protocol": "80=http,443=https", key + "http-sticky-sessions": "true", key + "http-certificates": "7",
				key + "health-check-http-path": "/ready", key + "ipv4-rdns": "shop.example.com",
			},
			{
				key + "network-zone": "eu-central", key + "protocol": "443=https", key + "certificate-type": "managed", key + "http-managed-certificate-domains": "example.com",
				key + "use-private-ip": "true", key + "private-ipv4": "10.0.0.9",
			},
		},
		Fields: `
			balancer: address algorithm allow deny dualStack location marks maxTargets name network networkZone privateTargets scope size subnet
			listener: certificate health.domain health.healthy health.interval health.path health.port health.protocol health.statusCodes health.timeout
				health.tls health.unhealthy idleTimeout protocol proxyProtocol redirectHTTP sessionCookie sessionCookieTTL targetPort targetProtocol
			resource certificate: domain_names issuance labels name
			resource dns_ptr: dns_ptr ip load_balancer
			resource load_balancer: algorithm labels load_balancer_type location name network_zone
			resource network: ip load_balancer network
			resource network_label: labels load_balancer network
			resource public_interface: load_balancer
			resource service: certificates destination_port health_check http listen_port load_balancer protocol proxyprotocol
			resource target: load_balancer server type use_private_ip
		`,
	}.Check(t)
}
