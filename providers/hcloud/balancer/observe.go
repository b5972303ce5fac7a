package balancer

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// state is what the API says of a load balancer and of the managed certificates of its Service.
type state struct {
	lb           *hcloud.LoadBalancer // nil when there is none
	certificates []*hcloud.Certificate
	// resting are those of them whose issuance failed a short time ago.
	resting map[int64]bool
	// own are the keys of services and targets that are the Service's, nil when all are.
	own map[string]bool
	// foreign is how many targets are not.
	foreign int
	// ids are the machines behind targets, by the key of the target.
	ids map[string]cloud.InstanceID
}

// Observe implements cloud.BalancerReader.
func (b *Balancers) Observe(ctx context.Context, spec cloud.Spec) (cloud.Observed, error) {
	found, byName, err := b.find(ctx, spec)
	if err != nil {
		return cloud.Observed{}, err
	}
	certificates, err := b.certificatesOf(ctx, spec, found)
	if err != nil {
		return cloud.Observed{}, err
	}
	resting := b.resting(ctx, spec, certificates)
	if len(found) == 0 {
		lookups, err := b.lookUp(ctx, spec, nil)
		return cloud.Observed{Lookups: lookups, Orphans: len(certificates) > 0, Native: state{certificates: certificates, resting: resting}}, err
	}
	o := cloud.OneOf(found, func(lb *hcloud.LoadBalancer) cloud.Observed {
		return cloud.Observed{Found: true, ID: idOf(lb), Native: state{lb: lb, certificates: certificates, resting: resting}}
	})
	s := o.Native.(state)
	lookups, err := b.lookUp(ctx, spec, s.lb)
	if err != nil {
		return cloud.Observed{}, err
	}
	return b.observe(spec, o, s, byName, lookups), nil
}

// observe fills in what is known of a load balancer.
func (b *Balancers) observe(spec cloud.Spec, o cloud.Observed, s state, byName bool, lookups map[string]string) cloud.Observed {
	lb := s.lb
	o.ByName, o.Named, o.State = byName, ownership.IsInName(lb.Name, spec.Ref.Owner), cloud.BalancerActive
	o.Owner = ownerOf(lb.Labels, spec.Ref.Owner)
	adopted := isAdopted(spec, lb, byName)
	o.Protected = lb.Protection.Delete && !adopted
	s.ids = machines(spec, lb)
	if adopted {
		lookups[lookupAdopted] = yes
		s.own = ownParts(spec, s)
		for _, target := range lb.Targets {
			if !s.owns(targetKey(target)) {
				s.foreign++
			}
		}
		lookups[lookupTargets] = strconv.Itoa(max(1, number(lookups[lookupTargets])-s.foreign))
	}
	o.Balancer = b.view(spec, s)
	for field, value := range o.Balancer.ProviderFields {
		lookups[lookupField+field] = value
	}
	lookups[lookupField+cloud.FieldScope] = string(o.Balancer.Scope)
	lookups[lookupField+cloud.FieldName] = lb.Name
	lookups[lookupKept] = keptOf(lb, adopted)
	o.Addresses, o.Lookups, o.Native = addresses(spec, lb), lookups, s
	return o
}

// keptOf names what stays as it is where the Service says nothing of it: what our label says, and before
// there are labels of ours what is unlike the default; all of it where the load balancer was there before the Service.
func keptOf(lb *hcloud.LoadBalancer, adopted bool) string {
	if adopted {
		return strings.Join([]string{cloud.FieldScope, cloud.FieldAlgorithm, cloud.FieldName}, "_")
	}
	if tags := tagsOf(lb.Labels); slices.ContainsFunc(tags, func(tag string) bool { return strings.HasPrefix(tag, annotation.Prefix) }) {
		return lb.Labels[labelKept]
	}
	var kept []string
	if string(lb.Algorithm.Type) != algorithm.Default {
		kept = append(kept, cloud.FieldAlgorithm)
	}
	if !lb.PublicNet.Enabled {
		kept = append(kept, cloud.FieldScope)
	}
	return strings.Join(kept, "_")
}

// isAdopted reports whether the load balancer was there before the Service, which named it.
func isAdopted(spec cloud.Spec, lb *hcloud.LoadBalancer, byName bool) bool {
	taken := byName && name.Has(spec.Options) && lb.Labels[labelUID] == ""
	return (taken || lb.Labels[labelAdopted] == yes) && !whole.Bool(spec.Options)
}

// ownParts are the services and targets of an adopted load balancer that are the Service's: those
// that were recorded, and those that it asks for.
func ownParts(spec cloud.Spec, s state) map[string]bool {
	own := map[string]bool{}
	for item := range strings.SplitSeq(parts.In(spec.Options), ",") {
		own[item] = true
	}
	there := map[string]bool{}
	for _, service := range s.lb.Services {
		key := serviceKey(service.ListenPort)
		asked := slices.ContainsFunc(spec.Ports, func(p cloud.Port) bool { return p.Port == service.ListenPort })
		there[key] = own[key] || asked && !spec.Deleting
	}
	for _, target := range s.lb.Targets {
		key := targetKey(target)
		candidate := slices.ContainsFunc(spec.Candidates, func(t cloud.Target) bool { return t.InstanceID == s.ids[key] })
		there[key] = own[key] || candidate
	}
	maps.DeleteFunc(there, func(_ string, own bool) bool { return !own })
	return there
}

// addresses are where the load balancer is reached, in upstream's order.
func addresses(spec cloud.Spec, lb *hcloud.LoadBalancer) []cloud.BalancerAddress {
	var all []cloud.BalancerAddress
	proxy := slices.ContainsFunc(lb.Services, func(s hcloud.LoadBalancerService) bool { return s.Proxyprotocol })
	add := func(ip string, wanted bool) {
		if wanted && ip != "" && ip != "<nil>" {
			all = append(all, cloud.BalancerAddress{IP: ip, Proxy: proxy})
		}
	}
	add(lb.PublicNet.IPv4.IP.String(), lb.PublicNet.Enabled)
	add(lb.PublicNet.IPv6.IP.String(), lb.PublicNet.Enabled && !noIPv6.Bool(spec.Options))
	for _, attached := range lb.PrivateNet {
		add(attached.IP.String(), !noPrivateIngress.Bool(spec.Options))
	}
	return all
}

// view is the load balancer in the kernel's words.
func (b *Balancers) view(spec cloud.Spec, s state) cloud.Balancer {
	lb := s.lb
	v := cloud.Balancer{
		Name: lb.Name, Scope: cloud.ScopeOf(!lb.PublicNet.Enabled), OwnershipTags: tagsOf(lb.Labels),
		ProviderFields: map[string]string{
			cloud.FieldSize: lb.LoadBalancerType.Name, cloud.FieldAlgorithm: string(lb.Algorithm.Type),
			fieldLocation: lb.Location.Name, fieldNetworkZone: string(lb.Location.NetworkZone),
			fieldPrivateTargets: privateTargets(spec, s), cloud.FieldAddress: "", cloud.FieldSubnet: subnet.In(spec.Options),
			fieldMaxTargets: strconv.Itoa(max(1, lb.LoadBalancerType.MaxTargets-s.foreign)),
		},
	}
	if at := lb.PrivateNetFor(&hcloud.Network{ID: b.Network}); at != nil {
		v.ProviderFields[cloud.FieldAddress] = at.IP.String()
		v.ProviderFields[cloud.FieldSubnet] = subnetOf(spec, at.IP)
	}
	for _, service := range lb.Services {
		if s.owns(serviceKey(service.ListenPort)) {
			v.Listeners = append(v.Listeners, s.listener(service))
		}
	}
	cloud.SortListeners(v.Listeners)
	for _, target := range lb.Targets {
		if key := targetKey(target); s.owns(key) {
			v.Targets = append(v.Targets, s.ids[key])
		}
	}
	slices.Sort(v.Targets)
	v.Targets = slices.Compact(v.Targets)
	return v
}

// privateTargets says how targets are reached: what the Service asks for where there is none, and
// "mixed" while only some are as they have to be.
func privateTargets(spec cloud.Spec, s state) string {
	value := ""
	for _, target := range s.lb.Targets {
		if target.Type != hcloud.LoadBalancerTargetTypeServer || !s.owns(targetKey(target)) {
			continue
		}
		private := strconv.FormatBool(target.UsePrivateIP)
		if value != "" && value != private {
			return mixed
		}
		value = private
	}
	return cmp.Or(value, strconv.FormatBool(wantsPrivate(spec)))
}
