// Package desired says what a Service asks for, and what of it the cloud can do. It makes no request.
package desired

import (
	"cmp"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
)

// Rules say what a Service asks for. They ask nothing of the cloud.
type Rules struct {
	Config  config.Balancer
	Classes map[string]config.Class
	Marks   mark.Marks
	// Version is the newest version of Octavia's API.
	Version api.Version
}

// New returns the rules for load balancers of a cloud whose API has this version.
func New(b config.Balancer, classes map[string]config.Class, marks mark.Marks, version api.Version) *Rules {
	r := &Rules{Config: b, Classes: classes, Marks: marks, Version: version}
	r.Marks.Tags = r.Can(AbleTags)
	return r
}

// Defaults implements cloud.Configured: what [LoadBalancer] says of all balancers.
func (r *Rules) Defaults() map[string]string { return option.Defaults(r.Config) }

// Impossible implements cloud.Configured: what the ovn provider lacks. It forwards packets of TCP and
// UDP, spreads them by address and port, and has no port of its own from which to check
// (https://docs.openstack.org/octavia/latest/user/feature-classification/index.html).
func (r *Rules) Impossible() map[string]string {
	if r.Config.Provider != config.ProviderOVN {
		return nil
	}
	return map[string]string{
		option.Method.Name:          "the ovn provider has " + config.MethodSourceIPPort + " only",
		option.ProxyProtocol.Name:   "the ovn provider leaves the content of connections as it is",
		option.TLS.Name:             "the ovn provider does not terminate TLS",
		option.TLSPorts.Name:        "the ovn provider does not terminate TLS",
		option.MonitorProtocol.Name: ownCheckOVN,
		option.MonitorPort.Name:     ownCheckOVN,
		option.MonitorPath.Name:     ownCheckOVN,
	}
}

const ownCheckOVN = "the ovn provider has no port for checks"

// IfAble returns the value where load balancers can do that here, else "".
func (r *Rules) IfAble(a Ability, value string) string {
	if r.Can(a) {
		return value
	}
	return ""
}

func (r *Rules) unable(a Ability) string {
	if r.Config.Provider == config.ProviderOVN && !abilities[a].ovn {
		return "the ovn provider can't do it"
	}
	since := abilities[a].since
	return "this cloud's load balancer API is older than " + since.String()
}

// Ability is something that only some clouds' balancers have.
type Ability int

// Abilities, with the version of Octavia's API that brought them
// (https://docs.openstack.org/api-ref/load-balancer/v2/#api-version-history). The ovn provider
// has few of them in any version.
const (
	AbleTags Ability = iota
	ableListenerTimeouts
	ableAllowedCIDRs
	AbleFlavors
	AbleZones
	ableUdpHTTPMonitor
	AbleAdditionalVIPs
)

var abilities = map[Ability]struct {
	since api.Version
	ovn   bool
}{
	AbleTags:             {api.V(2, 5), true},
	ableListenerTimeouts: {api.V(2, 1), false},
	ableAllowedCIDRs:     {api.V(2, 12), false},
	AbleFlavors:          {api.V(2, 6), false},
	AbleZones:            {api.V(2, 14), false},
	ableUdpHTTPMonitor:   {api.V(2, 16), false},
	AbleAdditionalVIPs:   {api.V(2, 26), false},
}

// Can reports whether balancers can do that here.
func (r *Rules) Can(a Ability) bool {
	needs := abilities[a]
	return r.Version.AtLeast(needs.since.Major, needs.since.Minor) && (needs.ovn || r.Config.Provider != config.ProviderOVN)
}

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
