package balancer

import (
	"cmp"
	"slices"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/droplet"
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
		Scope:          cloud.ScopeOf(lb.Network == NetworkInternal),
		DualStack:      lb.NetworkStack == StackDual,
		Listeners:      ObservedListeners(lb.ForwardingRules),
		Health:         ObservedHealth(lb.HealthCheck, spec),
		ProviderFields: r.present(lb, spec),
	}
	if lb.Firewall != nil {
		b.Allow, b.Deny = CanonicalRules(lb.Firewall.Allow), CanonicalRules(lb.Firewall.Deny)
	}
	for _, id := range lb.DropletIDs {
		b.Targets = append(b.Targets, droplet.InstanceID(id))
	}
	slices.Sort(b.Targets)
	return b
}

// Request is what a balancer is created from, or else the existing one with every managed field replaced. The API resets
// what a PUT leaves out, so everything else goes back as it came: a size set by hand, the cipher policy, the project.
func (r *Rules) Request(existing *godo.LoadBalancer, b cloud.Balancer, spec cloud.Spec) (*godo.LoadBalancerRequest, error) {
	request := &godo.LoadBalancerRequest{Region: r.Settings.Region, Tags: b.OwnershipTags}
	if existing != nil {
		request = existing.AsRequest()
		if request.SizeUnit > 0 {
			request.SizeSlug = "" // the API answers both and accepts one
		}
	}
	for _, f := range fields {
		silent := f.name == fieldTimeout && request.HTTPIdleTimeoutSeconds == nil && !KeyIdleTimeout.Has(spec.Options)
		if !silent && (f.name != FieldIP || existing == nil) {
			write(f.at(request), b.ProviderFields[f.name])
		}
	}
	request.Tag = "" // targets are given by id
	fillSize(request, b.ProviderFields[fieldSize], spec)
	request.Name, request.Network, request.NetworkStack = b.Name, NetworkExternal, StackIPv4
	if b.Scope == cloud.ScopeInternal {
		request.Network = NetworkInternal
	}
	if b.DualStack {
		request.NetworkStack = StackDual
	}
	request.ForwardingRules, request.HealthCheck = RuleRequests(b.Listeners), HealthRequest(b.Health)
	request.Firewall = &godo.LBFirewall{Allow: b.Allow, Deny: b.Deny}
	request.Algorithm = cmp.Or(request.Algorithm, RoundRobin)
	if KeyAlgorithm.Has(spec.Options) {
		request.Algorithm = KeyAlgorithm.In(spec.Options)
	}
	ids, err := DropletIDs(b.Targets)
	request.DropletIDs = ids
	return request, err
}

// DropletIDs returns targets as the API names them.
func DropletIDs(targets []cloud.InstanceID) ([]int, error) {
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
