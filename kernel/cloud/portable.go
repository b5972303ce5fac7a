package cloud

import (
	"slices"
	"strings"
)

// Names of provider fields that mean the same on every cloud that has them; with those of Balancer,
// Listener and Health they are the portable view. A cloud that has such a field under another name, or in
// another form, declares that with the annotation, see annotation.Key.Field.
const (
	FieldAddress          = "address"
	FieldSubnet           = "subnet"
	FieldSize             = "size"
	FieldAlgorithm        = "algorithm"
	FieldProxyProtocol    = "proxyProtocol"
	FieldIdleTimeout      = "idleTimeout"
	FieldCertificate      = "certificate"
	FieldSessionCookie    = "sessionCookie"
	FieldSessionCookieTTL = "sessionCookieTTL"
	FieldProtection       = "deletionProtection"
	// FieldTLS are the ports that terminate TLS, which follow from the listeners.
	FieldTLS = "tls"
)

// terminating are the protocols of listeners that terminate TLS; some clouds have names of their own.
var terminating = []Protocol{ProtocolTLS, ProtocolHTTPS, ProtocolHTTP2, ProtocolHTTP3, "SSL", "TERMINATED_HTTPS"}

// Field returns a managed field of the balancer, or else of its listeners: the values that they have,
// each once, with commas; an empty one says that a listener has none. It is false where none has it.
func (b Balancer) Field(name string) (string, bool) {
	if name == FieldTLS {
		return b.tlsPorts(), true
	}
	if value, there := b.Fields()[name]; there {
		return value, true
	}
	var values []string
	known := false
	for _, l := range b.Listeners {
		value, there := l.Fields()[name]
		known = known || there
		if value != "" {
			values = append(values, value)
		}
	}
	slices.Sort(values)
	return strings.Join(slices.Compact(values), ","), known
}

// tlsPorts are the ports of the listeners that terminate TLS, with commas.
func (b Balancer) tlsPorts() string {
	var ports []string
	for _, l := range b.Listeners {
		if slices.Contains(terminating, l.Protocol) {
			ports = append(ports, itoa(l.Port))
		}
	}
	return strings.Join(slices.Compact(ports), ",")
}
