package desired

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Fields only this cloud's balancers have, beside the portable ones.
const (
	FieldProvider   = "provider"
	FieldFlavor     = "flavor"
	FieldZone       = "zone"
	FieldSubnet     = "subnet"
	FieldNetwork    = "network"
	FieldPort       = "port"
	FieldAddress    = "address"
	FieldFloatingIP = "floatingIP"
	FieldFamily     = "memberFamily"
)

// Normalize implements cloud.Balancers.
func (r *Rules) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	list, err := r.wantedListeners(in)
	if err := errors.Join(r.checkRequest(in), err); err != nil {
		return cloud.Balancer{}, r.Notes(in), err
	}
	b := cloud.Balancer{
		Name:           r.OwnershipTags.Name(in.Owner),
		Scope:          r.PlaceOf(in).Scope,
		DualStack:      in.DualStack && r.Can(AbleAdditionalVIPs),
		Listeners:      list,
		ProviderFields: r.WantedProviderFields(in),
		OwnershipTags:  r.OwnershipTags.WantedOwnershipTags(in.Owner),
	}
	b.Preserve(in.Preserved)
	return b, r.Notes(in), nil
}

// Validate implements cloud.Validator: what Observe finds out for Normalize can only add to what is wrong.
func (r *Rules) Validate(spec cloud.Spec, _ bool) error {
	_, _, err := r.Normalize(cloud.Input{Spec: spec})
	return err
}

// WantedProviderFields are the managed fields only this cloud has. What the Service has no say in is not
// compared and stays as it is.
func (r *Rules) WantedProviderFields(in cloud.Input) map[string]string {
	where := r.PlaceOf(in)
	all := map[string]string{
		FieldProvider: r.Config.Provider,
		FieldFlavor:   r.IfAble(AbleFlavors, option.Flavor.In(in.Options)),
		FieldZone:     r.IfAble(AbleZones, option.Zone.In(in.Options)),
		FieldSubnet:   where.Subnet,
		FieldNetwork:  where.Network,
		FieldPort:     option.Port.In(in.Options),
	}
	if where.Address != "" {
		all[where.AddressField] = where.Address
		delete(all, "")
	}
	if Found.Open(in.Findings).Tenant {
		all = map[string]string{}
	}
	all[FieldFamily] = Family(r.membersOnIPv6(in))
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// checkRequest refuses what can't be.
func (r *Rules) checkRequest(in cloud.Input) error {
	var problems []error
	refuse := func(field, value, want string) {
		problems = append(problems, &cloud.Invalid{Field: field, Value: value, Want: want})
	}
	options := in.Options
	if class := option.Class.In(options); class != "" {
		if _, ok := r.Classes[class]; !ok {
			refuse(option.Class.Name, class, "the configuration has no section [LoadBalancerClass \""+class+"\"]; it has "+quoted(slices.Sorted(maps.Keys(r.Classes))))
		}
	}
	if option.ProxyProtocol.In(options) != option.ProxyNone && option.ForwardedFor.Bool(options) {
		refuse(option.ForwardedFor.Name, "true", "want either it or "+option.ProxyProtocol.Name)
	}
	found := Found.Open(in.Findings)
	if found.WrongTLS != "" {
		refuse(option.TLS.Name, option.TLS.In(options), found.WrongTLS)
	}
	if id := found.NoSubnet; id != "" {
		refuse(FieldOf(option.MemberSubnet, id, in.Spec), id, "there is no such subnet")
	}
	return errors.Join(append(append(problems, r.checkRanges(in)), r.checkShare(in)...)...)
}

// checkShare refuses what the others on a balancer rule out.
func (r *Rules) checkShare(in cloud.Input) []error {
	var problems []error
	refuse := func(field, value, want string) {
		problems = append(problems, &cloud.Invalid{Field: field, Value: value, Want: want})
	}
	found := Found.Open(in.Findings)
	if found.Full > 0 {
		refuse(option.ID.Name, option.ID.In(in.Options), strconv.Itoa(found.Full)+" Services share this balancer already; max-shared-lb in [LoadBalancer] allows "+strconv.Itoa(r.Config.MaxShared))
	}
	for _, port := range in.Ports {
		if key := port.Listener().Key(); slices.Contains(found.Taken, key) {
			refuse("spec.ports", key, "another Service or user has a listener at this port of the balancer")
		}
	}
	if found.Tenant && r.PlaceOf(in).Internal && found.Scope == cloud.ScopeExternal {
		refuse(option.Internal.Name, "true", "the balancer is shared and has a floating IP")
	}
	return problems
}

func quoted(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return `"` + strings.Join(names, `", "`) + `"`
}

// Notes say what of the Service's wishes has no effect.
func (r *Rules) Notes(in cloud.Input) []cloud.Warning {
	var list []cloud.Warning
	note := func(field, message string) { list = append(list, cloud.Warning{Field: field, Message: message}) }
	where := r.PlaceOf(in)
	if Found.Open(in.Findings).NoNetwork && !where.Internal {
		note(option.FloatingNetwork.Name, "no external network is to be found, so the balancer stays internal; set it, or floating-network-id in the configuration")
	}
	for key, a := range map[*annotation.Key]Ability{&option.Flavor: AbleFlavors, &option.Zone: AbleZones, &option.ClientData: ableListenerTimeouts, &option.MemberConnect: ableListenerTimeouts, &option.MemberData: ableListenerTimeouts, &option.TCPInspect: ableListenerTimeouts, &option.IdleTimeout: ableListenerTimeouts} {
		if key.Has(in.Options) && key.In(in.Options) != key.Default && !r.Can(a) {
			note(key.Name, "it has no effect: "+r.unable(a))
		}
	}
	if option.WantedAddress.Has(in.Options) && where.AddressBy != option.WantedAddress.Name {
		note(option.WantedAddress.Name, "it is ignored, because "+where.AddressBy+" is set: "+where.Address)
	}
	if in.DualStack && !r.Can(AbleAdditionalVIPs) {
		note("spec.ipFamilies", "only the first has an address: "+r.unable(AbleAdditionalVIPs))
	}
	list = append(list, r.addressNotes(in)...)
	list = append(list, monitorNotes(in.Spec)...)
	list = append(list, r.ownNotes(in.Spec)...)
	list = append(list, tlsNotes(in.Spec)...)
	list = append(list, r.rangeNotes(in)...)
	for _, port := range in.Ports {
		if port.Protocol != cloud.ProtocolTCP && r.Terminates(in.Spec) {
			note("spec.ports", port.Listener().Key()+" stays as it is: PROXY protocol, X-Forwarded-For and TLS are for TCP ports")
		}
	}
	slices.SortFunc(list, func(a, b cloud.Warning) int { return strings.Compare(a.Field+a.Message, b.Field+b.Message) })
	return list
}

// addressNotes say which address gets no floating IP: Neutron has none for IPv6.
func (r *Rules) addressNotes(in cloud.Input) []cloud.Warning {
	switch where := r.PlaceOf(in); {
	case where.Internal || Found.Open(in.Findings).Tenant:
		return nil
	case where.IPv6:
		return []cloud.Warning{{Field: "spec.ipFamilies", Message: "an IPv6 address gets no floating IP: clients reach the balancer's own address"}}
	case where.Both && r.Can(AbleAdditionalVIPs):
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

// ownNotes say which ports can't be checked as the portable keys ask.
func (r *Rules) ownNotes(spec cloud.Spec) []cloud.Warning {
	own, err := annotation.OwnCheck(spec)
	if err != nil || own == nil || !option.Monitor.Bool(spec.Options) {
		return nil
	}
	var list []cloud.Warning
	for _, key := range []annotation.Key{option.MonitorProtocol, option.MonitorPort, option.MonitorPath} {
		for _, port := range spec.Ports {
			if key.Has(spec.Options) && !r.checksOwn(own, port.Protocol) {
				list = append(list, cloud.Warning{Field: key.Name, Message: "not possible for " + port.Listener().Key()})
			}
		}
	}
	return list
}

// tlsNotes say which ports terminate no TLS although the portable key names them.
func tlsNotes(spec cloud.Spec) []cloud.Warning {
	list := annotation.UnknownPorts(spec, option.TLSPorts)
	if option.TLSPorts.Has(spec.Options) && option.TLS.In(spec.Options) == "" {
		list = append(list, cloud.Warning{Field: option.TLSPorts.Name, Message: "it has no effect without " + option.TLS.Name})
	}
	return list
}

// Terminates reports whether the balancer changes connections.
func (r *Rules) Terminates(spec cloud.Spec) bool {
	return option.ProxyProtocol.In(spec.Options) != option.ProxyNone || option.ForwardedFor.Bool(spec.Options) || option.TLS.In(spec.Options) != ""
}

// Family writes an address family as fields have it.
func Family(ipv6 bool) string {
	if ipv6 {
		return "6"
	}
	return "4"
}

// Eligible implements cloud.Balancers: what has an address can be a member.
func (r *Rules) Eligible(b cloud.Balancer, t cloud.Target) string {
	if MemberAddress(t, b.ProviderFields[FieldFamily] == "6") == "" {
		return "the cloud shows no address of it in the balancer's family; [Networking] in the configuration says which count"
	}
	return ""
}
