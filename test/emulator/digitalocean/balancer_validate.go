package digitalocean

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// balancerName: up to 255 of these, not ending in "-" or ".".
var balancerName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.\-]{0,253}[A-Za-z0-9])?$`)

// validate refuses a balancer that the API would not store. The first problem
// is reported, as 422.
func (bs *LoadBalancers) validate(q *balancerRequest, b *Balancer) error {
	for _, check := range []func(*balancerRequest, *Balancer) error{
		validName, validKind, validSize, bs.validPlace, bs.validRules, validHealthCheck,
		validSessions, validSwitches, validBalancerFirewall, bs.validTargets, bs.validGlobal,
	} {
		if err := check(q, b); err != nil {
			return err
		}
	}
	return nil
}

func validName(_ *balancerRequest, b *Balancer) error {
	if !balancerName.MatchString(b.Name) {
		return unprocessable("name must be 1 to 255 letters, digits, dots and dashes, and start and end with a letter or digit")
	}
	return nil
}

func validKind(q *balancerRequest, b *Balancer) error {
	switch {
	case !oneOf(b.Type, TypeRegional, TypeRegionalNetwork, TypeGlobal):
		return unprocessable("type %q is invalid", b.Type)
	case !oneOf(b.Network, NetworkExternal, NetworkInternal):
		return unprocessable("network %q is invalid", b.Network)
	case !oneOf(b.NetworkStack, StackIPv4, StackDualstack):
		return unprocessable("network_stack %q is invalid", b.NetworkStack)
	case b.Network == NetworkInternal && b.NetworkStack == StackDualstack:
		return unprocessable("internal load balancers don't support network_stack DUALSTACK")
	case b.Network == NetworkInternal && b.Type == TypeGlobal:
		return unprocessable("global load balancers can't be internal")
	case !oneOf(b.TLSCipherPolicy, "DEFAULT", "STRONG"):
		return unprocessable("tls_cipher_policy %q is invalid", b.TLSCipherPolicy)
	case !oneOf(q.Algorithm, "", "round_robin", "least_connections"):
		return unprocessable("algorithm %q is invalid", q.Algorithm)
	}
	return nil
}

func validSize(q *balancerRequest, b *Balancer) error {
	switch {
	case q.Size != nil && q.SizeUnit != nil:
		return unprocessable("size and size_unit are mutually exclusive")
	case q.Size != nil && sizeUnits[*q.Size] == 0:
		return unprocessable("size %q is invalid", *q.Size)
	case b.SizeUnit < 1 || b.SizeUnit > 100:
		return unprocessable("size_unit must be between 1 and 100")
	}
	return nil
}

// validPlace checks region, VPC and bring-your-own IP. Region and VPC have been
// resolved before; what was asked for and not found is nil or empty there.
func (bs *LoadBalancers) validPlace(q *balancerRequest, b *Balancer) error {
	if q.Region != "" && findRegion(q.Region) == nil {
		return unprocessable("region %q is invalid", q.Region)
	}
	if b.Region == nil && b.Type != TypeGlobal {
		return unprocessable("region is required")
	}
	if q.VPCUUID != "" {
		vpc := bs.account.VPCs.find(q.VPCUUID)
		if vpc == nil {
			return unprocessable("vpc_uuid %q does not exist", q.VPCUUID)
		}
		if b.Region != nil && vpc.Region != b.Region.Slug {
			return unprocessable("the VPC is in another region than the load balancer")
		}
	}
	if q.IP != "" {
		if ip, err := netip.ParseAddr(q.IP); err != nil || !ip.Is4() {
			return unprocessable("ip must be an IPv4 address")
		}
	}
	return nil
}

// validHealthCheck: ranges as documented.
func validHealthCheck(_ *balancerRequest, b *Balancer) error {
	c := b.HealthCheck
	if !oneOf(c.Protocol, "http", "https", "tcp") {
		return unprocessable("health_check protocol %q is invalid", c.Protocol)
	}
	if c.Protocol != "tcp" && !strings.HasPrefix(c.Path, "/") {
		return unprocessable("health_check path must start with /")
	}
	for _, field := range []struct {
		name           string
		value, low, up int
	}{
		{"port", c.Port, 1, 65535},
		{"check_interval_seconds", c.CheckIntervalSeconds, 3, 300},
		{"response_timeout_seconds", c.ResponseTimeoutSeconds, 3, 300},
		{"healthy_threshold", c.HealthyThreshold, 2, 10},
		{"unhealthy_threshold", c.UnhealthyThreshold, 2, 10},
	} {
		if field.value < field.low || field.value > field.up {
			return unprocessable("health_check %s must be between %d and %d", field.name, field.low, field.up)
		}
	}
	return nil
}

// validSessions: cookie limits as documented.
func validSessions(_ *balancerRequest, b *Balancer) error {
	s := b.StickySessions
	switch s.Type {
	case "none":
		b.StickySessions = StickySessions{Type: "none"} // cookie settings without cookies are dropped (guess)
		return nil
	case "cookies":
	default:
		return unprocessable("sticky_sessions type %q is invalid", s.Type)
	}
	switch {
	case b.Type == TypeRegionalNetwork:
		return unprocessable("sticky_sessions are not supported by network load balancers")
	case len(s.CookieName) < 2 || len(s.CookieName) > 40:
		return unprocessable("sticky_sessions cookie_name must have 2 to 40 characters")
	case s.CookieTTLSeconds < 1 || s.CookieTTLSeconds > 34650:
		return unprocessable("sticky_sessions cookie_ttl_seconds must be between 1 and 34650")
	}
	return nil
}

// validSwitches checks what only some types support. That the redirect needs
// rules on both sides is a guess.
func validSwitches(q *balancerRequest, b *Balancer) error {
	network := b.Type == TypeRegionalNetwork
	switch {
	case b.EnableProxyProtocol && b.Type != TypeRegional:
		return unprocessable("enable_proxy_protocol is only supported by regional load balancers")
	case network && b.RedirectHTTPToHTTPS:
		return unprocessable("redirect_http_to_https is not supported by network load balancers")
	case network && b.EnableBackendKeepalive:
		return unprocessable("enable_backend_keepalive is not supported by network load balancers")
	case network && q.HTTPIdleTimeoutSeconds != nil:
		return unprocessable("http_idle_timeout_seconds is not supported by network load balancers")
	case !network && (b.HTTPIdleTimeoutSeconds < 30 || b.HTTPIdleTimeoutSeconds > 600):
		return unprocessable("http_idle_timeout_seconds must be between 30 and 600")
	}
	if b.RedirectHTTPToHTTPS && b.Type == TypeRegional && !redirectable(b.ForwardingRules) {
		return unprocessable("redirect_http_to_https requires an http rule and an https or http2 rule")
	}
	return nil
}

func redirectable(rules []ForwardingRule) bool {
	uses := func(protocols ...string) bool {
		return slices.ContainsFunc(rules, func(r ForwardingRule) bool { return oneOf(r.EntryProtocol, protocols...) })
	}
	return uses("http") && uses("https", "http2")
}

func validBalancerFirewall(_ *balancerRequest, b *Balancer) error {
	for _, entry := range slices.Concat(b.Firewall.Allow, b.Firewall.Deny) {
		kind, value, _ := strings.Cut(entry, ":")
		var err error
		switch kind {
		case "ip":
			_, err = netip.ParseAddr(value)
		case "cidr":
			_, err = netip.ParsePrefix(value)
		default:
			return unprocessable("firewall rule %q must start with ip: or cidr:", entry)
		}
		if err != nil {
			return unprocessable("firewall rule %q is invalid", entry)
		}
	}
	return nil
}

func oneOf(value string, allowed ...string) bool { return slices.Contains(allowed, value) }
