package octavia

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Fields only this cloud's balancers have, beside the portable ones.
const (
	fieldProvider   = "provider"
	fieldFlavor     = "flavor"
	fieldZone       = "zone"
	fieldSubnet     = "subnet"
	fieldNetwork    = "network"
	fieldPort       = "port"
	fieldAddress    = "address"
	fieldFloatingIP = "floatingIP"
	fieldFamily     = "memberFamily"
)

// Facts that Observe finds out for Normalize and Apply.
const (
	// lookupVIPFamily is "6" where the balancer's address is IPv6.
	lookupVIPFamily = "vipFamily"
	// lookupFloatingNetwork is the network to take a floating IP from, or noNetwork.
	lookupFloatingNetwork = "floatingNetwork"
	// lookupMemberCIDR is the network from which the balancer reaches the nodes.
	lookupMemberCIDR = "memberCIDR"
	// lookupNoSubnet is the id of a subnet that is asked for and not there.
	lookupNoSubnet = "noSubnet"
	// lookupSecondFamily says that the balancer has an address of each family.
	lookupSecondFamily = "secondFamily"
	// lookupTenant says that the balancer was made for another Service or by the user.
	lookupTenant = "guest"
	// lookupTaken are the keys of listeners that belong to somebody else, with commas.
	lookupTaken = "taken"
	// lookupFull says how many Services share the balancer that we would be too much for.
	lookupFull = "full"
	// lookupScope is the scope of a balancer we are a tenant of.
	lookupScope = "scope"
	// lookupTLS says what is wrong with the certificate, "" when nothing is.
	lookupTLS = "tls"
)

const noNetwork = "none"

// Normalize implements cloud.Balancers.
func (d *Balancers) Normalize(spec cloud.Spec) (cloud.Balancer, []cloud.Warning, error) {
	list, err := d.wantedListeners(spec)
	if err := errors.Join(d.checkRequest(spec), err); err != nil {
		return cloud.Balancer{}, d.notes(spec), err
	}
	b := cloud.Balancer{
		Name:           d.marks.Name(spec.Ref.Owner),
		Scope:          d.wantedScope(spec),
		DualStack:      spec.DualStack && d.can(ableAdditionalVIPs),
		Listeners:      list,
		ProviderFields: d.wantedProviderFields(spec),
		OwnershipTags:  d.marks.WantedMarks(spec.Ref.Owner),
	}
	b.Preserve(spec.Preserved)
	return b, d.notes(spec), nil
}

// wantedScope is external where the Service wants a floating IP and can have one:
//
//	wants     it is                             scope
//	internal  –                                 internal
//	external  a tenant of somebody's balancer   as that is
//	external  no external network to be found   internal
//	external  else, also with an IPv6 address   external
func (d *Balancers) wantedScope(spec cloud.Spec) cloud.Scope {
	if spec.Lookups[lookupTenant] != "" && !d.wantsInternal(spec) {
		return cloud.Scope(spec.Lookups[lookupScope])
	}
	return cloud.ScopeOf(d.wantsInternal(spec) || spec.Lookups[lookupFloatingNetwork] == noNetwork)
}

// wantedProviderFields are the managed fields only this cloud has. What the Service has no say in is not
// compared and stays as it is.
func (d *Balancers) wantedProviderFields(spec cloud.Spec) map[string]string {
	where := d.placementOf(spec)
	all := map[string]string{
		fieldProvider: d.config.Provider,
		fieldFlavor:   d.ifAble(ableFlavors, option.Flavor.In(spec.Options)),
		fieldZone:     d.ifAble(ableZones, option.Zone.In(spec.Options)),
		fieldSubnet:   where.Subnet,
		fieldNetwork:  where.Network,
		fieldPort:     option.Port.In(spec.Options),
	}
	if field := d.addressField(spec); spec.LoadBalancerIP != "" && field != "" {
		all[field] = spec.LoadBalancerIP
	}
	if spec.Lookups[lookupTenant] != "" {
		all = map[string]string{}
	}
	all[fieldFamily] = family(onIPv6(spec))
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// addressField is the field loadBalancerIP is about: the balancer's own address where no floating
// IP was asked for, and none where one was and can't be.
func (d *Balancers) addressField(spec cloud.Spec) string {
	switch {
	case d.wantsInternal(spec) || spec.IPv6:
		return fieldAddress
	case onIPv6(spec) || d.wantedScope(spec) == cloud.ScopeInternal:
		return ""
	}
	return fieldFloatingIP
}

func (d *Balancers) ifAble(a ability, value string) string {
	if d.can(a) {
		return value
	}
	return ""
}

// checkRequest refuses what can't be.
func (d *Balancers) checkRequest(spec cloud.Spec) error {
	var problems []error
	refuse := func(field, value, want string) {
		problems = append(problems, &cloud.Invalid{Field: field, Value: value, Want: want})
	}
	options := spec.Options
	if class := option.Class.In(options); class != "" {
		if _, ok := d.classes[class]; !ok {
			refuse(option.Class.Name, class, "the configuration has no section [LoadBalancerClass \""+class+"\"]; it has "+quoted(slices.Sorted(maps.Keys(d.classes))))
		}
	}
	if option.ProxyProtocol.In(options) != option.ProxyNone && option.ForwardedFor.Bool(options) {
		refuse(option.ForwardedFor.Name, "true", "want either it or "+option.ProxyProtocol.Name)
	}
	if reason := spec.Lookups[lookupTLS]; reason != "" {
		refuse(option.TLS.Name, option.TLS.In(options), reason)
	}
	if id := spec.Lookups[lookupNoSubnet]; id != "" {
		refuse(option.MemberSubnet.Name, id, "there is no such subnet")
	}
	if restricts(spec) && !d.can(ableAllowedCIDRs) && !d.config.ManageSecurityGroups {
		refuse("spec.loadBalancerSourceRanges", spec.SourceRanges[0].String(), "the balancer would be open to everyone: "+d.unable(ableAllowedCIDRs)+"; manage-security-groups in [LoadBalancer] enforces it")
	}
	return errors.Join(append(problems, d.checkShare(spec)...)...)
}

// checkShare refuses what the others on a balancer rule out.
func (d *Balancers) checkShare(spec cloud.Spec) []error {
	var problems []error
	refuse := func(field, value, want string) {
		problems = append(problems, &cloud.Invalid{Field: field, Value: value, Want: want})
	}
	if users := spec.Lookups[lookupFull]; users != "" {
		refuse(option.ID.Name, option.ID.In(spec.Options), users+" Services share this balancer already; max-shared-lb in [LoadBalancer] allows "+strconv.Itoa(d.config.MaxShared))
	}
	taken := strings.Split(spec.Lookups[lookupTaken], ",")
	for _, port := range spec.Ports {
		if key := port.Listener().Key(); slices.Contains(taken, key) {
			refuse("spec.ports", key, "another Service or user has a listener at this port of the balancer")
		}
	}
	if spec.Lookups[lookupTenant] != "" && d.wantsInternal(spec) && spec.Lookups[lookupScope] == string(cloud.ScopeExternal) {
		refuse(option.Internal.Name, "true", "the balancer is shared and has a floating IP")
	}
	return problems
}

// restricts reports whether not everybody may connect.
func restricts(spec cloud.Spec) bool {
	return len(spec.SourceRanges) > 0 && !slices.ContainsFunc(spec.SourceRanges, func(p netip.Prefix) bool { return p.Bits() == 0 })
}

func quoted(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return `"` + strings.Join(names, `", "`) + `"`
}

// notes say what of the Service's wishes has no effect.
func (d *Balancers) notes(spec cloud.Spec) []cloud.Warning {
	var list []cloud.Warning
	note := func(field, message string) { list = append(list, cloud.Warning{Field: field, Message: message}) }
	if spec.Lookups[lookupFloatingNetwork] == noNetwork && !d.wantsInternal(spec) {
		note(option.FloatingNetwork.Name, "no external network is to be found, so the balancer stays internal; set it, or floating-network-id in the configuration")
	}
	for key, a := range map[*annotation.Key]ability{&option.Flavor: ableFlavors, &option.Zone: ableZones, &option.ClientData: ableListenerTimeouts, &option.MemberConnect: ableListenerTimeouts, &option.MemberData: ableListenerTimeouts, &option.TCPInspect: ableListenerTimeouts} {
		if key.Has(spec.Options) && key.In(spec.Options) != key.Default && !d.can(a) {
			note(key.Name, "it has no effect: "+d.unable(a))
		}
	}
	if spec.DualStack && !d.can(ableAdditionalVIPs) {
		note("spec.ipFamilies", "only the first has an address: "+d.unable(ableAdditionalVIPs))
	}
	list = append(list, d.addressNotes(spec)...)
	list = append(list, monitorNotes(spec)...)
	if left := len(spec.SourceRanges) - len(familiar(spec)); left > 0 {
		note("spec.loadBalancerSourceRanges", fmt.Sprintf("%d of them are of a family the balancer has no address of", left))
	}
	for _, port := range spec.Ports {
		if port.Protocol != cloud.ProtocolTCP && d.terminates(spec) {
			note("spec.ports", port.Listener().Key()+" stays as it is: PROXY protocol, X-Forwarded-For and TLS are for TCP ports")
		}
	}
	slices.SortFunc(list, func(a, b cloud.Warning) int { return strings.Compare(a.Field+a.Message, b.Field+b.Message) })
	return list
}

// addressNotes say which address gets no floating IP: Neutron has none for IPv6.
func (d *Balancers) addressNotes(spec cloud.Spec) []cloud.Warning {
	switch {
	case d.wantsInternal(spec) || spec.Lookups[lookupTenant] != "":
		return nil
	case onIPv6(spec):
		return []cloud.Warning{{Field: "spec.ipFamilies", Message: "an IPv6 address gets no floating IP: clients reach the balancer's own address"}}
	case onBoth(spec) && d.can(ableAdditionalVIPs):
		return []cloud.Warning{{Field: "spec.ipFamilies", Message: "only the IPv4 address gets a floating IP: clients reach the balancer's own IPv6 address"}}
	}
	return nil
}

func monitorNotes(spec cloud.Spec) []cloud.Warning {
	monitored := option.Monitor.Bool(spec.Options)
	switch {
	case spec.Local && !monitored:
		return []cloud.Warning{{Field: option.Monitor.Name, Message: "without a health monitor externalTrafficPolicy: Local sends connections to nodes that drop them"}}
	case monitored && option.MonitorTimeout.Duration(spec.Options) >= option.MonitorDelay.Duration(spec.Options):
		return []cloud.Warning{{Field: option.MonitorTimeout.Name, Message: "it should be less than " + option.MonitorDelay.Name}}
	}
	return nil
}

// terminates reports whether the balancer changes connections.
func (d *Balancers) terminates(spec cloud.Spec) bool {
	return option.ProxyProtocol.In(spec.Options) != option.ProxyNone || option.ForwardedFor.Bool(spec.Options) || option.TLS.In(spec.Options) != ""
}

func (d *Balancers) unable(a ability) string {
	if d.config.Provider == config.ProviderOVN && !abilities[a].ovn {
		return "the ovn provider can't do it"
	}
	since := abilities[a].since
	return "this cloud's load balancer API is older than " + since.String()
}

func family(ipv6 bool) string {
	if ipv6 {
		return "6"
	}
	return "4"
}

// Eligible implements cloud.Balancers: what has an address can be a member.
func (d *Balancers) Eligible(b cloud.Balancer, t cloud.Target) string {
	if memberAddress(t, b.ProviderFields[fieldFamily] == "6") == "" {
		return "the cloud shows no address of it in the balancer's family; [Networking] in the configuration says which count"
	}
	return ""
}
