package digitalocean

import "slices"

// targetsOf lists the target protocols of each entry protocol. Which of the
// HTTP family may be mixed is a guess beyond http→http and https/http2/http3→http.
var targetsOf = map[string][]string{
	"tcp":   {"tcp"},
	"udp":   {"udp"},
	"http":  {"http"},
	"https": {"http", "https", "http2"},
	"http2": {"http", "https", "http2"},
	"http3": {"http", "https", "http2"},
}

func (bs *LoadBalancers) validRules(_ *balancerRequest, b *Balancer) error {
	if b.Type == TypeGlobal {
		if len(b.ForwardingRules) > 0 {
			return unprocessable("forwarding_rules are not supported by global load balancers")
		}
		return nil
	}
	if len(b.ForwardingRules) == 0 {
		return unprocessable("forwarding_rules must have at least one rule")
	}
	for _, r := range b.ForwardingRules {
		if err := bs.validRule(b.Type, r); err != nil {
			return err
		}
	}
	return distinctEntries(b.ForwardingRules)
}

func (bs *LoadBalancers) validRule(kind string, r ForwardingRule) error {
	targets, known := targetsOf[r.EntryProtocol]
	switch {
	case !known:
		return unprocessable("entry protocol %q is invalid", r.EntryProtocol)
	case r.EntryPort < 1 || r.EntryPort > 65535, r.EntryPort >= 50053 && r.EntryPort <= 50055:
		return unprocessable("entry port is invalid") // 50053 to 50055 are reserved by the vendor
	case !slices.Contains(targets, r.TargetProtocol):
		return unprocessable("target protocol %q is invalid for entry protocol %q", r.TargetProtocol, r.EntryProtocol)
	case r.TargetPort < 1 || r.TargetPort > 65535:
		return unprocessable("target port is invalid")
	}
	if kind == TypeRegionalNetwork {
		return validNetworkRule(r)
	}
	return bs.validTLS(r)
}

// validNetworkRule: a network balancer knows tcp and udp, and changes no port.
func validNetworkRule(r ForwardingRule) error {
	switch {
	case !oneOf(r.EntryProtocol, "tcp", "udp"):
		return unprocessable("entry protocol %q is not supported by network load balancers", r.EntryProtocol)
	case r.EntryPort != r.TargetPort:
		return unprocessable("target port must equal entry port for network load balancers")
	case r.CertificateID != "" || r.TLSPassthrough:
		return unprocessable("network load balancers don't support TLS settings")
	}
	return nil
}

// validTLS: https and http2 need exactly one of a certificate and passthrough,
// http3 always a certificate, the others neither.
func (bs *LoadBalancers) validTLS(r ForwardingRule) error {
	encrypted := oneOf(r.EntryProtocol, "https", "http2", "http3")
	switch {
	case !encrypted && (r.CertificateID != "" || r.TLSPassthrough):
		return unprocessable("entry protocol %q does not support certificate_id or tls_passthrough", r.EntryProtocol)
	case !encrypted:
		return nil
	case r.EntryProtocol == "http3" && r.TLSPassthrough:
		return unprocessable("tls_passthrough is not supported for http3")
	case r.TLSPassthrough && r.CertificateID != "":
		return unprocessable("certificate_id and tls_passthrough are mutually exclusive")
	case r.TLSPassthrough && r.TargetProtocol == "http":
		return unprocessable("tls_passthrough requires an encrypted target protocol")
	case r.TLSPassthrough:
		return nil
	case r.CertificateID == "":
		return unprocessable("entry protocol %q requires certificate_id or tls_passthrough", r.EntryProtocol)
	case bs.account.Certificates.find(r.CertificateID) == nil:
		return unprocessable("certificate %s does not exist", r.CertificateID)
	}
	return nil
}

// distinctEntries: a port is used once per transport; http3 and udp are UDP, the
// others TCP.
func distinctEntries(rules []ForwardingRule) error {
	type entry struct {
		udp  bool
		port int
	}
	seen := map[entry]bool{}
	for _, r := range rules {
		e := entry{oneOf(r.EntryProtocol, "udp", "http3"), r.EntryPort}
		if seen[e] {
			return unprocessable("entry port %d is used by more than one forwarding rule", r.EntryPort)
		}
		seen[e] = true
	}
	return nil
}
