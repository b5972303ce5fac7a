package desired

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
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/option"
)

// Addresses returns where clients connect. In-cluster clients must not bypass a balancer
// that adds a PROXY header or terminates TLS.
func Addresses(lb *godo.LoadBalancer) []cloud.BalancerAddress {
	changes := lb.EnableProxyProtocol || slices.ContainsFunc(lb.ForwardingRules, func(r godo.ForwardingRule) bool {
		return r.CertificateID != ""
	})
	var list []cloud.BalancerAddress
	for _, ip := range []string{lb.IP, lb.IPv6} {
		if ip != "" {
			list = append(list, cloud.BalancerAddress{IP: ip, Proxy: changes && KindOf(lb) == config.TypeRegional})
		}
	}
	return list
}

// KindOf returns the type of an existing balancer. The field is younger than the API, whose
// default is REGIONAL.
func KindOf(lb *godo.LoadBalancer) string { return cmp.Or(lb.Type, config.TypeRegional) }

// View is an existing balancer in the kernel's words, without its marks.
func (r *Rules) View(lb *godo.LoadBalancer, spec cloud.Spec) cloud.Balancer {
	b := cloud.Balancer{
		Name:           lb.Name,
		Scope:          cloud.ScopeOf(lb.Network == option.NetworkInternal),
		DualStack:      lb.NetworkStack == option.StackDual,
		Listeners:      ObservedListeners(lb.ForwardingRules),
		Health:         ObservedHealth(lb.HealthCheck, spec),
		ProviderFields: r.observedExtras(lb, spec),
	}
	if lb.Firewall != nil {
		b.Allow, b.Deny = option.CanonicalRules(lb.Firewall.Allow), option.CanonicalRules(lb.Firewall.Deny)
	}
	for _, id := range lb.DropletIDs {
		b.Targets = append(b.Targets, droplet.InstanceID(id))
	}
	slices.Sort(b.Targets)
	return b
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
	if !option.KeyHealthOverride.Has(spec.Options) {
		h.ProviderFields = map[string]string{fieldHealthProxy: strconv.FormatBool(c.ProxyProtocol != nil && *c.ProxyProtocol)}
	}
	return h
}

// observedExtras are the managed fields only this cloud has.
func (r *Rules) observedExtras(lb *godo.LoadBalancer, spec cloud.Spec) map[string]string {
	all := map[string]string{
		FieldType:             KindOf(lb),
		FieldVPC:              lb.VPCUUID,
		FieldSubnet:           lb.VPCSubnetUUID,
		FieldIP:               lb.IP,
		fieldSize:             sizeOf(lb),
		fieldTargetTag:        lb.Tag,
		fieldProxyProtocol:    strconv.FormatBool(lb.EnableProxyProtocol),
		fieldBackendKeepalive: strconv.FormatBool(lb.EnableBackendKeepalive),
		fieldRedirect:         strconv.FormatBool(lb.RedirectHttpToHttps),
		fieldNoDNSRecords:     strconv.FormatBool(lb.DisableLetsEncryptDNSRecords != nil && *lb.DisableLetsEncryptDNSRecords),
		fieldIdleTimeout:      option.KeyIdleTimeout.Default,
		fieldSticky:           option.StickyNone,
	}
	if lb.IP == "" {
		// A new balancer has no address for a while: nothing to compare yet.
		all[FieldIP] = option.KeyIP.In(spec.Options)
	}
	if lb.HTTPIdleTimeoutSeconds != nil && *lb.HTTPIdleTimeoutSeconds > 0 {
		all[fieldIdleTimeout] = strconv.FormatUint(*lb.HTTPIdleTimeoutSeconds, 10)
	}
	if s := lb.StickySessions; s != nil {
		all[fieldSticky] = sticky{s.Type, s.CookieName, s.CookieTtlSeconds}.String()
	}
	return r.managed(all, KindOf(lb), spec)
}

func sizeOf(lb *godo.LoadBalancer) string {
	if lb.SizeUnit > 0 {
		return strconv.FormatUint(uint64(lb.SizeUnit), 10)
	}
	return cmp.Or(sizes[lb.SizeSlug], "1")
}
