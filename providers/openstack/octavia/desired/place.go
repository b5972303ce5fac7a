package desired

import (
	"cmp"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Place says where a Service's balancer is put, and at which addresses it is reached.
type Place struct {
	config.Placement
	// Port is the user's port that the balancer has its address from: as it was, where one has to be
	// made again, else as is asked for.
	Port string
	// Internal says that the Service is to have no floating IP. An annotation cannot make a balancer
	// external where all are internal.
	Internal bool
	// Scope is external where the Service wants a floating IP and can have one:
	//
	//	wants     it is                             scope
	//	internal  –                                 internal
	//	external  a tenant of somebody's balancer   as that is
	//	external  no external network to be found   internal
	//	external  else, also with an IPv6 address   external
	Scope cloud.Scope
	// IPv6 says that the balancer's own address is IPv6: as it is, or as the Service asks where it is not known yet.
	// Both says likewise that it has an address of each family.
	IPv6, Both bool
	// Address is the address that the Service asks for, "" for none, and AddressBy the field that says so.
	Address, AddressBy string
	// AddressField is the field that Address is about: the balancer's own address where no floating
	// IP was asked for, and none where one was and can't be.
	AddressField string
	// FloatingAddress is the address of the floating IP that was asked for: that of a balancer that has to
	// be made again as it was, or Address.
	FloatingAddress string
	// FloatingFrom is the network to take a floating IP from: as chosen, else as found, "" where it is not known. NoFloating says that
	// the cloud has none.
	FloatingFrom string
	NoFloating   bool
}

// PlaceOf returns the place of a Service's balancer.
func (r *Rules) PlaceOf(in cloud.Input) Place {
	p := Place{
		Port: option.Port.In(in.Options), Internal: r.Config.Internal || option.Internal.Bool(in.Options), IPv6: OnIPv6(in), Both: r.onBoth(in),
		Address: option.WantedAddress.In(in.Options), AddressBy: option.WantedAddress.Name,
	}
	p.Placement = r.placement(in.Spec, p.Internal)
	if p.Port != "" {
		p.Port = cmp.Or(in.Preserved[FieldPort], p.Port)
	}
	if in.LoadBalancerIP != "" {
		p.Address, p.AddressBy = in.LoadBalancerIP, "spec.loadBalancerIP"
	}
	p.FloatingAddress = cmp.Or(in.Preserved[FieldFloatingIP], p.Address)
	found := Found.Open(in.Findings)
	p.FloatingFrom = cmp.Or(p.FloatingNetwork, found.FloatingNetwork)
	p.NoFloating = found.NoNetwork
	p.Scope = cloud.ScopeOf(p.Internal || found.NoNetwork)
	if found.Tenant && !p.Internal {
		p.Scope = found.Scope
	}
	switch {
	case p.Internal || in.IPv6:
		p.AddressField = FieldAddress
	case !p.IPv6 && p.Scope != cloud.ScopeInternal:
		p.AddressField = FieldFloatingIP
	}
	return p
}

// placement says where the parts of a Service's balancer are put. The first that is set counts:
//
//	                      internal                     external
//	network and subnet    annotation, class, config    class, annotation, config
//	member subnet         annotation, class, config    the same
//	floating network      –                            class, annotation, config
//	floating subnet       –                            class, annotation, config, each with its id,
//	                                                   name and tags together
//
// For the first row upstream's documentation differs from what it does; this is what it does.
func (r *Rules) placement(spec cloud.Spec, internal bool) config.Placement {
	own := config.Placement{
		Network: option.Network.In(spec.Options), Subnet: option.Subnet.In(spec.Options), MemberSubnet: option.MemberSubnet.In(spec.Options),
		FloatingNetwork: option.FloatingNetwork.In(spec.Options), FloatingSubnet: option.FloatingSubnet.In(spec.Options),
		FloatingSubnetName: option.FloatingName.In(spec.Options), FloatingSubnetTags: option.FloatingTags.In(spec.Options),
	}
	class, standard := r.Classes[option.Class.In(spec.Options)].Placement, r.Config.Placement
	first, second := class, own
	if internal {
		first, second = own, class
	}
	p := config.Placement{
		MemberSubnet:    cmp.Or(own.MemberSubnet, class.MemberSubnet, standard.MemberSubnet, standard.Subnet),
		FloatingNetwork: cmp.Or(class.FloatingNetwork, orDefault(option.FloatingNetwork, spec, standard.FloatingNetwork)),
	}
	p.Network, p.Subnet = cmp.Or(first.Network, second.Network), cmp.Or(first.Subnet, second.Subnet)
	if p.Network == "" && p.Subnet == "" && option.Port.In(spec.Options) == "" {
		p.Network, p.Subnet = standard.Network, standard.Subnet
	}
	for _, from := range []config.Placement{class, own, standard} {
		if from.FloatingSubnet+from.FloatingSubnetName+from.FloatingSubnetTags != "" {
			p.FloatingSubnet, p.FloatingSubnetName, p.FloatingSubnetTags = from.FloatingSubnet, from.FloatingSubnetName, from.FloatingSubnetTags
			break
		}
	}
	return p
}

// FieldOf names what says where a part of a balancer is put: the annotation that the Service has, else the configuration.
func FieldOf(key annotation.Key, value string, spec cloud.Spec) string {
	if key.In(spec.Options) == value {
		return key.Name
	}
	_, name, _ := strings.Cut(key.Spellings()[0], "/")
	sections := "[LoadBalancer]"
	if class := option.Class.In(spec.Options); class != "" {
		sections += " or [LoadBalancerClass \"" + class + "\"]"
	}
	return name + " in " + sections + " of the configuration"
}

// orDefault returns the value of an annotation, also an empty one, else what is configured.
func orDefault(key annotation.Key, spec cloud.Spec, configured string) string {
	if key.Has(spec.Options) {
		return key.In(spec.Options)
	}
	return configured
}

// OnIPv6 reports whether the balancer's address is IPv6: as it is, or as the Service asks where
// it is not known yet.
func OnIPv6(in cloud.Input) bool {
	if found := Found.Open(in.Findings); found.HasAddress {
		return found.IPv6
	}
	return in.IPv6
}

// onBoth reports whether the balancer has an address of each family: as it is, or as the Service
// asks where it is not known yet.
func (r *Rules) onBoth(in cloud.Input) bool {
	if found := Found.Open(in.Findings); found.HasAddress {
		return found.Both
	}
	return in.DualStack && r.Can(AbleAdditionalVIPs)
}

// families are those of the balancer's addresses.
func (r *Rules) families(in cloud.Input) cloud.Families {
	both := r.onBoth(in)
	return cloud.Families{IPv4: both || !OnIPv6(in), IPv6: both || OnIPv6(in)}
}

// Families implements cloud.Reach.
func (r *Rules) Families(in cloud.Input, b cloud.Balancer) (clients, targets cloud.Families) {
	six := b.ProviderFields[FieldFamily] == Family(true)
	return r.families(in), cloud.Families{IPv4: !six, IPv6: six}
}

// Misses reports whether a balancer with an address of this family could lead to no node that answers for the Service.
func (r *Rules) Misses(spec cloud.Spec, ipv6 bool) bool {
	return r.Config.Provider == config.ProviderOVN && !spec.DualStack && spec.IPv6 != ipv6
}

// membersOnIPv6 reports whether members are reached at IPv6 addresses:
//
//	families of the Service  provider  family of the members
//	one                      amphora   that one: nodes answer in no other, whatever the family of the balancer's address
//	one                      ovn       that of the balancer's address: packets pass through
//	both                     any       that of the balancer's address
func (r *Rules) membersOnIPv6(in cloud.Input) bool {
	if in.DualStack || r.Config.Provider == config.ProviderOVN {
		return OnIPv6(in)
	}
	return in.IPv6
}
