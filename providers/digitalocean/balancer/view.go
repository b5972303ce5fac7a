package balancer

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/droplet"
)

// addresses returns where clients connect. In-cluster clients must not bypass a balancer
// that adds a PROXY header or terminates TLS.
func addresses(lb *godo.LoadBalancer) []cloud.BalancerAddress {
	changes := lb.EnableProxyProtocol || slices.ContainsFunc(lb.ForwardingRules, func(r godo.ForwardingRule) bool {
		return r.CertificateID != ""
	})
	var list []cloud.BalancerAddress
	for _, ip := range []string{lb.IP, lb.IPv6} {
		if ip != "" {
			list = append(list, cloud.BalancerAddress{IP: ip, Proxy: changes && kindOf(lb) == config.TypeRegional})
		}
	}
	return list
}

// kindOf returns the type of an existing balancer. The field is younger than the API, whose
// default is REGIONAL.
func kindOf(lb *godo.LoadBalancer) string { return cmp.Or(lb.Type, config.TypeRegional) }

// View is an existing balancer in the kernel's words, without its ownership tags.
func (r *Rules) View(lb *godo.LoadBalancer, spec cloud.Spec) cloud.Balancer {
	b := cloud.Balancer{
		Name:           lb.Name,
		Scope:          cloud.ScopeOf(lb.Network == networkInternal),
		DualStack:      lb.NetworkStack == StackDual,
		Listeners:      ObservedListeners(lb.ForwardingRules),
		Health:         ObservedHealth(lb.HealthCheck, spec),
		ProviderFields: r.present(lb, spec),
	}
	if lb.Firewall != nil {
		b.Allow, b.Deny = canonicalRules(lb.Firewall.Allow), canonicalRules(lb.Firewall.Deny)
	}
	for _, id := range lb.DropletIDs {
		b.Targets = append(b.Targets, droplet.InstanceID(id))
	}
	slices.Sort(b.Targets)
	return b
}

// requestOf returns the request that would leave a balancer as it is. AsRequest of godo v1.236.0 writes through a pointer
// of the balancer, with the value that is there; several Services read the same balancer of a list at once.
func requestOf(lb *godo.LoadBalancer) *godo.LoadBalancerRequest {
	own := *lb
	if p := lb.DisableLetsEncryptDNSRecords; p != nil {
		own.DisableLetsEncryptDNSRecords = godo.PtrTo(*p)
	}
	return own.AsRequest()
}

// Request is what a balancer is created from, or else the existing one with every managed field replaced. The API resets
// what a PUT leaves out, so everything else goes back as it came: a size set by hand, the cipher policy, the project.
func (r *Rules) Request(existing *godo.LoadBalancer, b cloud.Balancer, spec cloud.Spec) (*godo.LoadBalancerRequest, error) {
	request := &godo.LoadBalancerRequest{Region: r.Settings.Region, Tags: b.OwnershipTags}
	if existing != nil {
		request = requestOf(existing)
		if request.SizeUnit > 0 {
			request.SizeSlug = "" // the API answers both and accepts one
		}
	}
	ids, err := dropletIDs(b.Targets)
	request.DropletIDs = ids
	request.ForwardingRules, request.HealthCheck = RuleRequests(b.Listeners), HealthRequest(b.Health)
	for _, f := range fields {
		silent := f.name == fieldTimeout && request.HTTPIdleTimeoutSeconds == nil && !keyIdleTimeout.Has(spec.Options)
		if !silent && (f.name != FieldIP || existing == nil) {
			write(f.at(request), b.ProviderFields[f.name])
		}
	}
	request.Tag = "" // targets are given by id
	fillSize(request, b.ProviderFields[fieldSize], spec)
	request.Name, request.Network, request.NetworkStack = b.Name, NetworkExternal, StackIPv4
	if b.Scope == cloud.ScopeInternal {
		request.Network = networkInternal
	}
	if b.DualStack {
		request.NetworkStack = StackDual
	}
	request.Firewall = &godo.LBFirewall{Allow: b.Allow, Deny: b.Deny}
	request.Algorithm = cmp.Or(request.Algorithm, roundRobin)
	if keyAlgorithm.Has(spec.Options) {
		request.Algorithm = keyAlgorithm.In(spec.Options)
	}
	return request, err
}

// dropletIDs returns targets as the API names them.
func dropletIDs(targets []cloud.InstanceID) ([]int, error) {
	var ids []int
	for _, target := range targets {
		id, err := droplet.Number(target)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// ObservedListeners decodes forwarding rules.
func ObservedListeners(rules []godo.ForwardingRule) []cloud.Listener {
	var list []cloud.Listener
	for _, r := range rules {
		l := cloud.Listener{
			Protocol: cloud.ProtocolOf(r.EntryProtocol), Port: r.EntryPort, TargetProtocol: cloud.ProtocolOf(r.TargetProtocol), TargetPort: r.TargetPort,
		}
		if encrypted(l.Protocol) {
			l.ProviderFields = map[string]string{fieldCertificate: r.CertificateID, fieldPassthrough: strconv.FormatBool(r.TlsPassthrough)}
		}
		list = append(list, l)
	}
	cloud.SortListeners(list)
	return list
}

// encrypted reports whether listeners of the protocol have a certificate or passthrough.
func encrypted(protocol cloud.Protocol) bool {
	switch protocol {
	case cloud.ProtocolHTTPS, cloud.ProtocolHTTP2, cloud.ProtocolHTTP3:
		return true
	}
	return false
}

// RuleRequests encodes listeners.
func RuleRequests(list []cloud.Listener) []godo.ForwardingRule {
	var rules []godo.ForwardingRule
	for _, l := range list {
		rules = append(rules, godo.ForwardingRule{
			EntryProtocol: l.Protocol.Lower(), EntryPort: l.Port, TargetProtocol: l.TargetProtocol.Lower(), TargetPort: l.TargetPort,
			CertificateID: l.ProviderFields[fieldCertificate], TlsPassthrough: l.ProviderFields[fieldPassthrough] == "true",
		})
	}
	return rules
}

// ObservedHealth decodes the check of an existing balancer.
func ObservedHealth(c *godo.HealthCheck, spec cloud.Spec) *cloud.Health {
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
	if !keyHealthOverride.Has(spec.Options) {
		h.ProviderFields = map[string]string{fieldHealthProxy: strconv.FormatBool(c.ProxyProtocol != nil && *c.ProxyProtocol)}
	}
	return h
}

// HealthRequest encodes the check. An overridden one leaves it to the API whether it sends
// a PROXY header: the Service's own port may expect one.
func HealthRequest(h *cloud.Health) *godo.HealthCheck {
	if h == nil {
		return nil
	}
	c := &godo.HealthCheck{
		Protocol:               h.Protocol.Lower(),
		Port:                   h.Port,
		Path:                   h.Path,
		CheckIntervalSeconds:   int(h.Interval / time.Second),
		ResponseTimeoutSeconds: int(h.Timeout / time.Second),
		HealthyThreshold:       h.Healthy,
		UnhealthyThreshold:     h.Unhealthy,
	}
	if value, ok := h.ProviderFields[fieldHealthProxy]; ok {
		c.ProxyProtocol = godo.PtrTo(value == "true")
	}
	return c
}
