package digitalocean

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// TestWritten: what is on Services and in plans is read by later versions.
func TestWritten(t *testing.T) {
	conformance.Written{
		Driver: testDriver(func(s *config.Settings) { s.Vpc = theCertificate }).handOver(), Descriptor: Descriptor(), Annotations: Annotations(), ID: "00000000-0000-4000-8000-00000000000%d",
		From:        prefixed(map[string]string{"subnet-uuid": theCertificate, "ip": "192.0.2.1"}),
		To:          prefixed(map[string]string{"type": "REGIONAL", "network": "INTERNAL", "subnet-uuid": testUID, "ip": "192.0.2.2"}),
		Replacement: `{"request":"0ce3a646a078bfbb2620e3115482380c2ffbbd8dc3dcce039d42e29f473fc1db","of":"00000000-0000-4000-8000-000000000001","was":{"dualStack":"false","ip":"192.0.2.1","scope":"external","subnet":"892071a0-bb95-49bc-8021-3afd67a210bf","type":"REGIONAL_NETWORK","vpc":"892071a0-bb95-49bc-8021-3afd67a210bf"}}`,
		Services: []map[string]string{
			nil,
			prefixed(map[string]string{
				"type": "REGIONAL", "protocol": "http", "certificate-id": theCertificate, "subnet-uuid": theCertificate, "ip": "192.0.2.1", "size-unit": "2",
				"sticky-sessions-type": "cookies", "sticky-sessions-cookie-name": "shop", "sticky-sessions-cookie-ttl": "300", "deny-rules": "ip:192.0.2.9",
			}),
			prefixed(map[string]string{"type": "REGIONAL", "tls-passthrough": "true"}),
		},
		Fields: `
			balancer: allow backendKeepalive deny disableLetsEncryptDNSRecords dualStack health.healthy health.interval health.path health.port health.protocol
				health.proxyProtocol health.timeout health.unhealthy idleTimeout ip marks name proxyProtocol redirectHTTPToHTTPS scope size stickySessions subnet
				targetTag type vpc
			listener: certificate passthrough protocol targetPort targetProtocol
		`,
	}.Check(t)
}
