package octavia

import (
	"maps"
	"slices"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// observed is what a snapshot says to the kernel. What the cloud does not keep is as wanted.
func (d *Balancers) observed(s *object.Snapshot, in cloud.Input) cloud.Observed {
	o := cloud.Observed{Found: true, ID: s.LB.ID, Native: object.Native.Seal(s), Findings: desired.Found.Seal(d.findings(s, in))}
	o.Owner, o.Shared = owner.Read(d.Rules, s, in).Owner()
	o.State, o.Detail = object.Lifecycle(s.LB)
	in.Findings = o.Findings
	o.Balancer = d.view(s, in)
	o.Addresses = d.addressesOf(s, in)
	if len(o.Addresses) > 0 {
		o.Record = map[string]string{option.Address.Name: d.address(s, in)}
	}
	return o
}

// address is the one clients use.
func (d *Balancers) address(s *object.Snapshot, in cloud.Input) string {
	floating := s.Floating
	if floating == nil {
		floating = d.floating.Following(in)
	}
	if floating != nil && !neutron.IsIPv6(s.LB.Address) {
		return floating.Address
	}
	return s.LB.Address
}

// addressesOf returns where clients connect: the floating IP, else the balancer's own address,
// and the addresses of other families. With ingress-hostname, PROXY protocol gets a name.
func (d *Balancers) addressesOf(s *object.Snapshot, in cloud.Input) []cloud.BalancerAddress {
	if s.LB.Address == "" {
		return nil
	}
	all := []string{d.address(s, in)}
	for _, vip := range s.LB.AdditionalVIPs {
		if vip.Address != "" && neutron.IsIPv6(vip.Address) != neutron.IsIPv6(s.LB.Address) {
			all = append(all, vip.Address)
		}
	}
	proxied := option.ProxyProtocol.In(in.Options) != option.ProxyNone
	var list []cloud.BalancerAddress
	for _, ip := range all {
		if proxied && d.Config.IngressHostname {
			list = append(list, cloud.BalancerAddress{Hostname: ip + "." + d.Config.HostnameSuffix})
			continue
		}
		list = append(list, cloud.BalancerAddress{IP: ip, Proxy: d.Terminates(in.Spec)})
	}
	return list
}

// findings are what is known without asking further.
func (d *Balancers) findings(s *object.Snapshot, in cloud.Input) desired.Findings {
	tenancy, ipv6 := owner.Read(d.Rules, s, in), neutron.IsIPv6(s.LB.Address)
	found := desired.Findings{
		HasAddress: s.LB.Address != "", IPv6: ipv6, Tenant: tenancy.Tenant, Taken: tenancy.Taken,
		Both: slices.ContainsFunc(s.LB.AdditionalVIPs, func(vip object.AdditionalIP) bool { return neutron.IsIPv6(vip.Address) != ipv6 }),
	}
	if !tenancy.Tenant {
		return found
	}
	if tags := tenancy.Tags; !tags.Ours && !tags.Upstream && tags.Users >= d.Config.MaxShared {
		found.Full = tags.Users
	}
	found.Scope = cloud.ScopeOf(s.Floating == nil && !ipv6)
	return found
}

func (d *Balancers) view(s *object.Snapshot, in cloud.Input) cloud.Balancer {
	b := cloud.Balancer{
		Name:           s.LB.Name,
		Scope:          d.observedScope(s, in),
		DualStack:      in.DualStack && d.Can(desired.AbleAdditionalVIPs),
		ProviderFields: d.observedExtras(s, in),
		OwnershipTags:  d.OwnershipTags.ObservedOwnershipTags(s.LB.Tags, in.Owner),
	}
	tenancy := owner.Read(d.Rules, s, in)
	if tenancy.Tenant {
		b.Name = d.OwnershipTags.Name(in.Owner)
	} else if d.Can(desired.AbleAdditionalVIPs) {
		b.DualStack = len(s.LB.AdditionalVIPs) > 0
	}
	targets := []cloud.InstanceID{}
	for _, l := range tenancy.Ours {
		seen := d.observedListener(s, l, in)
		b.Listeners = append(b.Listeners, seen)
		targets = append(targets, seen.Targets...)
	}
	cloud.SortListeners(b.Listeners)
	slices.Sort(targets)
	b.Targets = slices.Compact(targets)
	return b
}

// observedScope is external with a floating IP. An IPv6 address needs none: it is as wanted.
func (d *Balancers) observedScope(s *object.Snapshot, in cloud.Input) cloud.Scope {
	if s.Floating == nil && neutron.IsIPv6(s.LB.Address) {
		return d.PlaceOf(in).Scope
	}
	return cloud.ScopeOf(s.Floating == nil && d.floating.Following(in) == nil)
}

func (d *Balancers) observedExtras(s *object.Snapshot, in cloud.Input) map[string]string {
	wanted := d.WantedProviderFields(in)
	seen := map[string]string{
		desired.FieldProvider: canonicalProvider(s.LB.Provider, wanted[desired.FieldProvider]),
		desired.FieldFlavor:   s.LB.Flavor,
		desired.FieldZone:     s.LB.Zone,
		desired.FieldSubnet:   s.LB.Subnet,
		desired.FieldNetwork:  s.LB.Network,
		desired.FieldPort:     s.LB.Port,
		desired.FieldAddress:  s.LB.Address,
		desired.FieldFamily:   wanted[desired.FieldFamily],
	}
	seen[desired.FieldFloatingIP] = wanted[desired.FieldFloatingIP]
	if s.Floating != nil {
		seen[desired.FieldFloatingIP] = s.Floating.Address
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

func (d *Balancers) observedListener(s *object.Snapshot, l object.Listener, in cloud.Input) cloud.Listener {
	wanted := d.WantedAt(l.Key(), in)
	p, members := s.Pools[l.Pool], s.Members[l.Pool]
	seen := cloud.Listener{
		Protocol:       cloud.Protocol(l.Protocol),
		Port:           l.Port,
		TargetProtocol: cloud.Protocol(p.Protocol),
		TargetPort:     targetPort(members, wanted.TargetPort),
		ProviderFields: map[string]string{
			desired.FieldConnectionLimit: strconv.Itoa(l.ConnectionLimit),
			desired.FieldForwardedFor:    strconv.FormatBool(l.InsertHeaders[desired.ForwardedFor] == "true"),
			desired.FieldTLS:             l.TLSRef,
			desired.FieldClientData:      strconv.Itoa(l.ClientData),
			desired.FieldMemberConnect:   strconv.Itoa(l.MemberConnect),
			desired.FieldMemberData:      strconv.Itoa(l.MemberData),
			desired.FieldTCPInspect:      strconv.Itoa(l.TCPInspect),
			desired.FieldAllowed:         desired.ObservedAllowed(l, neutron.IsIPv6(s.LB.Address), wanted.ProviderFields[desired.FieldAllowed]),
			desired.FieldMethod:          p.Method,
			desired.FieldPersistence:     string(p.Persistence),
			desired.FieldOwned:           strconv.FormatBool(d.OwnershipTags.HasName(l.Tags, in.Owner)),
		},
	}
	if m, ok := s.Monitors[l.Pool]; ok {
		health := m.Health()
		seen.Health = &health
		seen.Health.Port = d.ObservedPort(seen, members, in.Spec)
	}
	seen.Targets = desired.ObservedTargets(members, seen.TargetPort, desired.MonitorPort(seen, in.Spec))
	if wanted.ProviderFields != nil {
		maps.DeleteFunc(seen.ProviderFields, func(field, _ string) bool { _, managed := wanted.ProviderFields[field]; return !managed })
	}
	return seen
}

// targetPort is the port of the members: the wanted one where any has it or there are none.
func targetPort(members []object.Member, wanted int) int {
	if len(members) == 0 || slices.ContainsFunc(members, func(m object.Member) bool { return m.Port == wanted }) {
		return wanted
	}
	return members[0].Port
}
