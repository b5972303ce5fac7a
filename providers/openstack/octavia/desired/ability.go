package desired

import (
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

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
