package object

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/droplet"
)

// Managed says which fields of a balancer the Service has a say in. What it has none in is not compared, and keeps
// the value that somebody else gave it.
type Managed struct {
	// Fields are the ones of the balancer, with the values that are wanted.
	Fields map[string]string
	// HealthProxy says that the field FieldHealthProxy of the health check is one.
	HealthProxy bool
}

// View is an existing balancer in the kernel's words, without its ownership tags.
func View(lb *godo.LoadBalancer, managed Managed) cloud.Balancer {
	b := cloud.Balancer{
		Name:           lb.Name,
		Scope:          cloud.ScopeOf(lb.Network == option.NetworkInternal),
		DualStack:      lb.NetworkStack == option.StackDual,
		Listeners:      observedListeners(lb.ForwardingRules),
		Health:         observedHealth(lb.HealthCheck, managed.HealthProxy),
		ProviderFields: present(lb, managed.Fields),
	}
	if lb.Firewall != nil {
		b.Allow, b.Deny = option.CanonicalRules(lb.Firewall.Allow), option.CanonicalRules(lb.Firewall.Deny)
	}
	b.Targets = slices.Grow(b.Targets, len(lb.DropletIDs))
	for _, id := range lb.DropletIDs {
		b.Targets = append(b.Targets, droplet.InstanceID(id))
	}
	slices.Sort(b.Targets)
	return b
}

// KindOf returns the type of an existing balancer. The field is younger than the API, whose
// default is REGIONAL.
func KindOf(lb *godo.LoadBalancer) string { return cmp.Or(lb.Type, config.TypeRegional) }

// Certificate returns the first certificate among the rules of a balancer, "" where there is none.
func Certificate(lb *godo.LoadBalancer) string {
	for _, r := range lb.ForwardingRules {
		if r.CertificateID != "" {
			return r.CertificateID
		}
	}
	return ""
}

// Addresses returns where clients connect. In-cluster clients must not bypass a balancer
// that adds a PROXY header or terminates TLS.
func Addresses(lb *godo.LoadBalancer) []cloud.BalancerAddress {
	changes := lb.EnableProxyProtocol || Certificate(lb) != ""
	var list []cloud.BalancerAddress
	for _, ip := range []string{lb.IP, lb.IPv6} {
		if ip != "" {
			list = append(list, cloud.BalancerAddress{IP: ip, Proxy: changes && KindOf(lb) == config.TypeRegional})
		}
	}
	return list
}

// observedListeners decodes forwarding rules.
func observedListeners(rules []godo.ForwardingRule) []cloud.Listener {
	var list []cloud.Listener
	for _, r := range rules {
		l := cloud.Listener{
			Protocol: cloud.ProtocolOf(r.EntryProtocol), Port: r.EntryPort, TargetProtocol: cloud.ProtocolOf(r.TargetProtocol), TargetPort: r.TargetPort,
		}
		if IsEncrypted(l.Protocol) {
			l.ProviderFields = map[string]string{FieldCertificate: r.CertificateID, FieldPassthrough: strconv.FormatBool(r.TlsPassthrough)}
		}
		list = append(list, l)
	}
	cloud.SortListeners(list)
	return list
}

// IsEncrypted reports whether listeners of the protocol have a certificate or passthrough.
func IsEncrypted(protocol cloud.Protocol) bool {
	return protocol == cloud.ProtocolHTTPS || protocol == cloud.ProtocolHTTP2 || protocol == cloud.ProtocolHTTP3
}

// observedHealth decodes the check of an existing balancer.
func observedHealth(c *godo.HealthCheck, proxyManaged bool) *cloud.Health {
	if c == nil {
		return nil
	}
	h := &cloud.Health{
		Protocol:  cloud.ProtocolOf(c.Protocol),
		Port:      c.Port,
		Interval:  time.Duration(c.CheckIntervalSeconds) * time.Second,
		Timeout:   time.Duration(c.ResponseTimeoutSeconds) * time.Second,
		Healthy:   c.HealthyThreshold,
		Unhealthy: c.UnhealthyThreshold,
	}
	h.Path = annotation.CheckPath(h.Protocol, c.Path)
	if proxyManaged {
		h.ProviderFields = map[string]string{FieldHealthProxy: strconv.FormatBool(c.ProxyProtocol != nil && *c.ProxyProtocol)}
	}
	return h
}
