package desired

import (
	"cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// ChosenAddress is the address that the Service asks for, and the field that says so: "" for none.
func ChosenAddress(spec cloud.Spec) (address, field string) {
	if spec.LoadBalancerIP != "" {
		return spec.LoadBalancerIP, "spec.loadBalancerIP"
	}
	return option.WantedAddress.In(spec.Options), option.WantedAddress.Name
}

// ChosenFloating is the address of the floating IP that was asked for: that of a balancer that has to
// be made again as it was, or ChosenAddress.
func ChosenFloating(spec cloud.Spec) string {
	address, _ := ChosenAddress(spec)
	return cmp.Or(spec.Preserved[FieldFloatingIP], address)
}

// FloatingNetwork is the network to take a floating IP from: as chosen, else as found.
func (r *Rules) FloatingNetwork(spec cloud.Spec) string {
	return cmp.Or(r.PlacementOf(spec).FloatingNetwork, spec.Lookups[LookupFloatingNetwork])
}

// PlacementOf says where the parts of a Service's balancer are put. The first that is set counts:
//
//	                      internal                     external
//	network and subnet    annotation, class, config    class, annotation, config
//	member subnet         annotation, class, config    the same
//	floating network      –                            class, annotation, config
//	floating subnet       –                            class, annotation, config, each with its id,
//	                                                   name and tags together
//
// For the first row upstream's documentation differs from what it does; this is what it does.
func (r *Rules) PlacementOf(spec cloud.Spec) config.Placement {
	own := config.Placement{
		Network: option.Network.In(spec.Options), Subnet: option.Subnet.In(spec.Options), MemberSubnet: option.MemberSubnet.In(spec.Options),
		FloatingNetwork: option.FloatingNetwork.In(spec.Options), FloatingSubnet: option.FloatingSubnet.In(spec.Options),
		FloatingSubnetName: option.FloatingName.In(spec.Options), FloatingSubnetTags: option.FloatingTags.In(spec.Options),
	}
	class, standard := r.Classes[option.Class.In(spec.Options)].Placement, r.Config.Placement
	first, second := class, own
	if r.WantsInternal(spec) {
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

// orDefault returns the value of an annotation, also an empty one, else what is configured.
func orDefault(key annotation.Key, spec cloud.Spec, configured string) string {
	if key.Has(spec.Options) {
		return key.In(spec.Options)
	}
	return configured
}

// WantsInternal reports whether the Service is to have no floating IP. An annotation cannot make
// a balancer external where all are internal.
func (r *Rules) WantsInternal(spec cloud.Spec) bool {
	return r.Config.Internal || option.Internal.Bool(spec.Options)
}

// PortOfVIP is the user's port that the balancer has its address from: as it was, where one has to be
// made again, else as is asked for.
func PortOfVIP(spec cloud.Spec) string {
	asked := option.Port.In(spec.Options)
	if asked == "" {
		return ""
	}
	return cmp.Or(spec.Preserved[FieldPort], asked)
}
