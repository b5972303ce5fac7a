package digitalocean

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// TestRules checks the forwarding rules of REGIONAL balancers with ports 80 and 443, each
// written as "entry:port>target:port", "+c" with the certificate, "+p" passed through.
func TestRules(t *testing.T) {
	tests := []struct {
		name        string
		annotations map[string]string
		edit        func(*cloud.Input)
		want        []string
		// refused are parts of the error, one for each problem.
		refused []string
	}{
		{name: "default", want: []string{"tcp:80>tcp:30080", "tcp:443>tcp:30443"}},
		{name: "http", annotations: map[string]string{"protocol": "http"}, want: []string{"http:80>http:30080", "http:443>http:30443"}},
		{
			name:        "443 is TLS once there is a certificate",
			annotations: map[string]string{"protocol": "http", "certificate-id": theCertificate},
			want:        []string{"http:80>http:30080", "https:443>http:30443+c"},
		},
		{
			name:        "443 is TLS with passthrough",
			annotations: map[string]string{"tls-passthrough": "true"},
			want:        []string{"tcp:80>tcp:30080", "https:443>https:30443+p"},
		},
		{
			name:        "unless it is an HTTP/2 port",
			annotations: map[string]string{"http2-ports": "443", "certificate-id": theCertificate},
			want:        []string{"tcp:80>tcp:30080", "http2:443>http:30443+c"},
		},
		{
			name:        "HTTP/2 passed through",
			annotations: map[string]string{"http2-ports": "443", "tls-passthrough": "1"},
			want:        []string{"tcp:80>tcp:30080", "http2:443>http2:30443+p"},
		},
		{
			name:        "lists may have spaces",
			annotations: map[string]string{"http-ports": "80, 443"},
			want:        []string{"http:80>http:30080", "http:443>http:30443"},
		},
		{
			name:        "another TLS port leaves 443 alone",
			annotations: map[string]string{"tls-ports": "80", "certificate-id": theCertificate},
			want:        []string{"https:80>http:30080+c", "tcp:443>tcp:30443"},
		},
		{
			name:        "HTTP/3 beside TLS",
			annotations: map[string]string{"tls-ports": "443", "http3-port": "443", "certificate-id": theCertificate},
			want:        []string{"tcp:80>tcp:30080", "https:443>http:30443+c", "http3:443>http:30443+c"},
		},
		{
			name:        "HTTP/3 on a port the Service does not have",
			annotations: map[string]string{"http3-port": "8443"},
			want:        []string{"tcp:80>tcp:30080", "tcp:443>tcp:30443"},
		},
		{
			name:        "certificate given by name",
			annotations: map[string]string{"certificate-name": "web"},
			edit:        func(s *cloud.Input) { s.Findings = desired.Found.Seal(desired.Findings{Certificate: "c"}) },
			want:        []string{"tcp:80>tcp:30080", "https:443>http:30443+c"},
		},
		{
			name: "UDP is never HTTP",
			edit: func(s *cloud.Input) {
				s.Ports = append(s.Ports, cloud.Port{Protocol: cloud.ProtocolUDP, Port: 80, NodePort: 30081})
			},
			annotations: map[string]string{"protocol": "http"},
			want:        []string{"http:80>http:30080", "udp:80>udp:30081", "http:443>http:30443"},
		},
		{name: "bad protocol", annotations: map[string]string{"protocol": "udp"}, refused: []string{"do-loadbalancer-protocol"}},
		{name: "http3 as the protocol of all ports", annotations: map[string]string{"protocol": "http3", "certificate-id": theCertificate}, refused: []string{"do-loadbalancer-http3-port"}},
		{
			name:        "http3 as the protocol of a port that is TLS anyway",
			annotations: map[string]string{"protocol": "http3", "certificate-id": theCertificate},
			edit:        func(s *cloud.Input) { s.Ports = s.Ports[1:] },
			want:        []string{"https:443>http:30443+c"},
		},
		{name: "TLS without certificate", annotations: map[string]string{"tls-ports": "443"}, refused: []string{"certificate-id"}},
		{
			name:        "certificate and passthrough",
			annotations: map[string]string{"tls-passthrough": "true", "certificate-id": theCertificate},
			refused:     []string{"tls-passthrough"},
		},
		{
			name:        "HTTP/3 passed through",
			annotations: map[string]string{"tls-passthrough": "true", "http3-port": "443"},
			refused:     []string{"HTTP/3 can't be passed through"},
		},
		{
			name:        "HTTP/3 without certificate",
			annotations: map[string]string{"http3-port": "80"},
			refused:     []string{"for http3 on port 80"},
		},
		{
			name:        "every problem is named",
			annotations: map[string]string{"http-ports": "80,443", "tls-ports": "443", "http2-ports": "80", "protocol": "smtp", "certificate-name": "none"},
			refused:     []string{`tls-ports: "443"`, `http2-ports: "80"`, `protocol: "smtp"`, "no certificate of that name"},
		},
		{
			name: "no node ports",
			edit: func(s *cloud.Input) { s.Ports[0].NodePort, s.Ports[1].NodePort = 0, 0 },
			refused: []string{
				"spec.ports[0].nodePort is not set", "spec.ports[1].nodePort is not set",
			},
		},
		{
			name:    "reserved port",
			edit:    func(s *cloud.Input) { s.Ports[0].Port = 50054 },
			refused: []string{"50054"},
		},
		{
			name:    "SCTP",
			edit:    func(s *cloud.Input) { s.Ports[0].Protocol = cloud.ProtocolSCTP },
			refused: []string{"SCTP"},
		},
		{
			name:        "HTTP/3 and UDP on one port",
			annotations: map[string]string{"http3-port": "443", "certificate-id": theCertificate},
			edit: func(s *cloud.Input) {
				s.Ports = append(s.Ports, cloud.Port{Protocol: cloud.ProtocolUDP, Port: 443, NodePort: 30444})
			},
			refused: []string{"udp/443"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := testSpec(t, test.annotations)
			if test.edit != nil {
				test.edit(&in)
			}
			list, err := desired.Listeners(in, config.TypeRegional)
			if len(test.refused) > 0 {
				if err == nil {
					t.Fatalf("accepted as %v", sketches(list))
				}
				for _, part := range test.refused {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("error %q does not mention %q", err, part)
					}
				}
				if !cloud.IsClass(err, cloud.FailureInvalid) {
					t.Errorf("class = %v, want invalid", cloud.FailureOf(err).Class)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, sketches(list)); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(list, viewOf(cloud.Balancer{Listeners: list}).Listeners); diff != "" {
				t.Errorf("rules change on the way to the API and back (-want +got):\n%s", diff)
			}
		})
	}
}

func sketches(list []cloud.Listener) []string {
	var all []string
	for _, r := range requestOf(cloud.Balancer{Listeners: list}).ForwardingRules {
		s := r.EntryProtocol + ":" + itoa(r.EntryPort) + ">" + r.TargetProtocol + ":" + itoa(r.TargetPort)
		if r.CertificateID != "" {
			s += "+c"
		}
		if r.TlsPassthrough {
			s += "+p"
		}
		all = append(all, s)
	}
	return all
}

func TestNotes(t *testing.T) {
	tests := []struct {
		name        string
		annotations map[string]string
		edit        func(*cloud.Input)
		want        []string
	}{
		{name: "nothing to remark"},
		{name: "defaults are not remarked on", annotations: map[string]string{"enable-proxy-protocol": "false", "protocol": "tcp"}},
		{
			name:        "TLS on a network balancer",
			annotations: map[string]string{"certificate-id": theCertificate, "enable-proxy-protocol": "true", "protocol": "https"},
			want:        []string{"multicloud-ccm.io/proxy-protocol", option.Upstream + "certificate-id", option.Upstream + "protocol"},
		},
		{
			name:        "unknown ports",
			annotations: map[string]string{"type": "REGIONAL", "http-ports": "80,81", "http3-port": "444"},
			want:        []string{option.Upstream + "http-ports", option.Upstream + "http3-port"},
		},
		{
			name:        "health keys without override",
			annotations: map[string]string{"healthcheck-path": "/x", "healthcheck-port": "80"},
			want:        []string{"multicloud-ccm.io/health-check-path", "multicloud-ccm.io/health-check-port"},
		},
		{
			name:        "fields",
			annotations: map[string]string{"allow-rules": "ip:192.0.2.1", "type": "REGIONAL", "algorithm": "least_connections"},
			edit:        func(s *cloud.Input) { s.SourceRanges = prefixes("10.0.0.0/8") },
			want:        []string{option.Upstream + "algorithm", option.Upstream + "allow-rules"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := testSpec(t, test.annotations)
			if test.edit != nil {
				test.edit(&in)
			}
			_, notes, err := testDriver().Normalize(in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, fieldsOf(notes)); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
		})
	}
}
