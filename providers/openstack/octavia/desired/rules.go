// Package desired says what a Service asks for, and what of it the cloud can do. It makes no request.
package desired

import (
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// Rules say what a Service asks for. They ask nothing of the cloud.
type Rules struct {
	Config        config.Balancer
	Classes       map[string]config.Class
	OwnershipTags tag.Ownership
	// Version is the newest version of Octavia's API.
	Version api.Version
}

// New returns the rules for load balancers of a cloud whose API has this version.
func New(b config.Balancer, classes map[string]config.Class, ownershipTags tag.Ownership, version api.Version) *Rules {
	r := &Rules{Config: b, Classes: classes, OwnershipTags: ownershipTags, Version: version}
	r.OwnershipTags.Tags = r.Can(AbleTags)
	return r
}

// Defaults are what [LoadBalancer] says of all balancers.
func (r *Rules) Defaults() map[string]string { return option.Defaults(r.Config) }

// Impossible is what the ovn provider lacks. It forwards packets of TCP and
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

// AllowedCIDRsSince is the version of the API that brought allowed CIDRs of listeners.
func AllowedCIDRsSince() api.Version { return abilities[ableAllowedCIDRs].since }

// Can reports whether balancers can do that here.
func (r *Rules) Can(a Ability) bool {
	needs := abilities[a]
	return r.Version.AtLeast(needs.since.Major, needs.since.Minor) && (needs.ovn || r.Config.Provider != config.ProviderOVN)
}
