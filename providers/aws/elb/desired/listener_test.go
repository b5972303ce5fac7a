package desired

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestClassicProtocols(t *testing.T) {
	for _, c := range []struct {
		tls            bool
		backend        string
		listener, node cloud.Protocol
		refused        bool
	}{
		{tls: true, listener: "SSL", node: "TCP"},
		{tls: true, backend: "tcp", listener: "SSL", node: "TCP"},
		{tls: true, backend: "ssl", listener: "SSL", node: "SSL"},
		{tls: true, backend: "http", listener: "HTTPS", node: "HTTP"},
		{tls: true, backend: "https", listener: "HTTPS", node: "HTTPS"},
		{tls: true, backend: "udp", refused: true},
		{listener: "TCP", node: "TCP"},
		{backend: "http", listener: "HTTP", node: "HTTP"},
		{backend: "https", listener: "TCP", node: "TCP"},
		{backend: "HTTP", listener: "TCP", node: "TCP"},
	} {
		listener, node, ok := protocols(c.tls, c.backend)
		if ok == c.refused || ok && (listener != c.listener || node != c.node) {
			t.Errorf("TLS %t, backend %q: %s to %s, %t; want %s to %s", c.tls, c.backend, listener, node, ok, c.listener, c.node)
		}
	}
}
