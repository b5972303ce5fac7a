package octavia

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// observed is what a snapshot says to the kernel. What the cloud does not keep is as wanted.
func (d *Balancers) observed(s *snapshot, spec cloud.Spec) cloud.Observed {
	o := cloud.Observed{
		Found: true, ID: s.lb.ID, Native: s,
		Lookups: d.lookups(s, spec),
	}
	o.Owner, o.Shared = d.owner(&s.lb, spec)
	o.State, o.Detail = lifecycle(s.lb)
	spec.Lookups = o.Lookups
	o.Balancer = d.view(s, spec)
	o.Addresses = d.addressesOf(s, spec)
	if len(o.Addresses) > 0 {
		o.Record = map[string]string{option.Address.Name: d.address(s, spec)}
	}
	return o
}

// lifecycle is the life-cycle state of a balancer (…/load-balancer/v2/#provisioning-status-codes).
func lifecycle(lb balancer) (cloud.BalancerState, string) {
	switch lb.Provisioning {
	case statusActive:
		return cloud.BalancerActive, ""
	case statusError:
		return cloud.BalancerFailed, "its provisioning status is ERROR; an administrator can repair it with `openstack loadbalancer failover`"
	}
	return cloud.BalancerPending, ""
}

// address is the one clients use.
func (d *Balancers) address(s *snapshot, spec cloud.Spec) string {
	floating := s.floating
	if floating == nil {
		floating = d.following(spec)
	}
	if floating != nil && !neutron.IsIPv6(s.lb.Address) {
		return floating.Address
	}
	return s.lb.Address
}

// addressesOf returns where clients connect: the floating IP, else the balancer's own address,
// and the addresses of other families. With ingress-hostname, PROXY protocol gets a name.
func (d *Balancers) addressesOf(s *snapshot, spec cloud.Spec) []cloud.BalancerAddress {
	if s.lb.Address == "" {
		return nil
	}
	all := []string{d.address(s, spec)}
	for _, vip := range s.lb.AdditionalVIPs {
		if vip.Address != "" && neutron.IsIPv6(vip.Address) != neutron.IsIPv6(s.lb.Address) {
			all = append(all, vip.Address)
		}
	}
	proxied := option.ProxyProtocol.In(spec.Options) != option.ProxyNone
	var list []cloud.BalancerAddress
	for _, ip := range all {
		if proxied && d.config.IngressHostname {
			list = append(list, cloud.BalancerAddress{Hostname: ip + "." + d.config.HostnameSuffix})
			continue
		}
		list = append(list, cloud.BalancerAddress{IP: ip, Proxy: d.terminates(spec)})
	}
	return list
}

// lookups are what is known without asking further.
func (d *Balancers) lookups(s *snapshot, spec cloud.Spec) map[string]string {
	facts := map[string]string{}
	if s.lb.Address != "" {
		facts[lookupVIPFamily] = family(neutron.IsIPv6(s.lb.Address))
	}
	if slices.ContainsFunc(s.lb.AdditionalVIPs, func(vip additionalIP) bool { return neutron.IsIPv6(vip.Address) != neutron.IsIPv6(s.lb.Address) }) {
		facts[lookupSecondFamily] = "true"
	}
	if d.isTenant(s, spec) {
		facts[lookupTenant] = "true"
		if c := d.marks.ReadClaims(s.lb.Tags, spec.Ref.Owner); !c.Ours && !c.Upstream && c.Users >= d.config.MaxShared {
			facts[lookupFull] = strconv.Itoa(c.Users)
		}
		facts[lookupScope] = string(cloud.ScopeOf(s.floating == nil && !neutron.IsIPv6(s.lb.Address)))
	}
	var taken []string
	for _, l := range s.listeners {
		if !d.isOurs(s, l, spec) {
			taken = append(taken, l.key())
		}
	}
	if len(taken) > 0 {
		slices.Sort(taken)
		facts[lookupTaken] = strings.Join(taken, ",")
	}
	return facts
}

func (d *Balancers) view(s *snapshot, spec cloud.Spec) cloud.Balancer {
	b := cloud.Balancer{
		Name:           s.lb.Name,
		Scope:          d.observedScope(s, spec),
		DualStack:      spec.DualStack && d.can(ableAdditionalVIPs),
		ProviderFields: d.observedExtras(s, spec),
		OwnershipTags:  d.marks.ObservedMarks(s.lb.Tags, spec.Ref.Owner),
	}
	if d.isTenant(s, spec) {
		b.Name = d.marks.Name(spec.Ref.Owner)
	} else if d.can(ableAdditionalVIPs) {
		b.DualStack = len(s.lb.AdditionalVIPs) > 0
	}
	targets := []cloud.InstanceID{}
	for _, l := range s.listeners {
		if d.isOurs(s, l, spec) {
			seen := d.observedListener(s, l, spec)
			b.Listeners = append(b.Listeners, seen)
			targets = append(targets, seen.Targets...)
		}
	}
	cloud.SortListeners(b.Listeners)
	slices.Sort(targets)
	b.Targets = slices.Compact(targets)
	return b
}

// observedScope is external with a floating IP. An IPv6 address needs none: it is as wanted.
func (d *Balancers) observedScope(s *snapshot, spec cloud.Spec) cloud.Scope {
	if s.floating == nil && neutron.IsIPv6(s.lb.Address) {
		return d.wantedScope(spec)
	}
	return cloud.ScopeOf(s.floating == nil && d.following(spec) == nil)
}

func (d *Balancers) observedExtras(s *snapshot, spec cloud.Spec) map[string]string {
	wanted := d.wantedProviderFields(spec)
	seen := map[string]string{
		fieldProvider: canonicalProvider(s.lb.Provider, wanted[fieldProvider]),
		fieldFlavor:   s.lb.Flavor,
		fieldZone:     s.lb.Zone,
		fieldSubnet:   s.lb.Subnet,
		fieldNetwork:  s.lb.Network,
		fieldPort:     s.lb.Port,
		fieldAddress:  s.lb.Address,
		fieldFamily:   wanted[fieldFamily],
	}
	seen[fieldFloatingIP] = wanted[fieldFloatingIP]
	if s.floating != nil {
		seen[fieldFloatingIP] = s.floating.Address
	}
	maps.DeleteFunc(seen, func(field, _ string) bool { _, managed := wanted[field]; return !managed })
	return seen
}

// canonicalProvider takes the two names of one provider for the same.
func canonicalProvider(seen, wanted string) string {
	if same := []string{"amphora", "octavia"}; slices.Contains(same, seen) && slices.Contains(same, wanted) {
		return wanted
	}
	return seen
}

func (d *Balancers) observedListener(s *snapshot, l listener, spec cloud.Spec) cloud.Listener {
	wanted := d.wantedAt(l.key(), spec)
	p, members := s.pools[l.Pool], s.members[l.Pool]
	seen := cloud.Listener{
		Protocol:       cloud.Protocol(l.Protocol),
		Port:           l.Port,
		TargetProtocol: cloud.Protocol(p.Protocol),
		TargetPort:     targetPort(members, wanted.TargetPort),
		ProviderFields: map[string]string{
			fieldConnectionLimit: strconv.Itoa(l.ConnectionLimit),
			fieldForwardedFor:    strconv.FormatBool(l.InsertHeaders[forwardedFor] == "true"),
			fieldTLS:             l.TLSRef,
			fieldClientData:      strconv.Itoa(l.ClientData),
			fieldMemberConnect:   strconv.Itoa(l.MemberConnect),
			fieldMemberData:      strconv.Itoa(l.MemberData),
			fieldTCPInspect:      strconv.Itoa(l.TCPInspect),
			fieldAllowed:         observedAllowed(l, neutron.IsIPv6(s.lb.Address), wanted.ProviderFields[fieldAllowed]),
			fieldMethod:          p.Method,
			fieldPersistence:     p.persistence(),
			fieldOwned:           strconv.FormatBool(d.marks.IsTagged(l.Tags, spec.Ref.Owner)),
		},
	}
	if m, ok := s.monitors[l.Pool]; ok {
		seen.Health = &cloud.Health{
			Protocol: cloud.Protocol(m.Type), Interval: time.Duration(m.Delay) * time.Second, Timeout: time.Duration(m.Timeout) * time.Second,
			Healthy: m.Retries, Unhealthy: m.RetriesDown,
		}
		if m.Type == protocolHTTP {
			seen.Health.Path = m.Path
		}
	}
	seen.Targets = observedTargets(members, seen.TargetPort, monitorPort(seen, spec))
	if wanted.ProviderFields != nil {
		maps.DeleteFunc(seen.ProviderFields, func(field, _ string) bool { _, managed := wanted.ProviderFields[field]; return !managed })
	}
	return seen
}

// wantedAt is the listener the Service wants at that key, an empty one when it wants none.
func (d *Balancers) wantedAt(key string, spec cloud.Spec) cloud.Listener {
	for _, port := range spec.Ports {
		if port.Listener().Key() == key {
			return cloud.Listener{TargetPort: port.NodePort, ProviderFields: d.listenerExtras(spec, port)}
		}
	}
	return cloud.Listener{}
}

// targetPort is the port of the members: the wanted one where any has it or there are none.
func targetPort(members []member, wanted int) int {
	if len(members) == 0 || slices.ContainsFunc(members, func(m member) bool { return m.Port == wanted }) {
		return wanted
	}
	return members[0].Port
}

// observedAllowed takes a listener that admits everybody without saying so for one that says so.
func observedAllowed(l listener, ipv6 bool, wanted string) string {
	if len(l.AllowedCIDRs) == 0 {
		if open := everyone(ipv6); wanted == open {
			return open
		}
		return ""
	}
	list := slices.Clone(l.AllowedCIDRs)
	slices.Sort(list)
	return strings.Join(list, ",")
}
