package octavia

import (
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
)

// ability is something that only some clouds' balancers have.
type ability int

// Abilities, with the version of Octavia's API that brought them
// (https://docs.openstack.org/api-ref/load-balancer/v2/#api-version-history). The ovn provider
// has few of them in any version.
const (
	ableTags ability = iota
	ableListenerTimeouts
	ableAllowedCIDRs
	ableFlavors
	ableZones
	ableUdpHTTPMonitor
	ableAdditionalVIPs
)

var abilities = map[ability]struct {
	since api.Version
	ovn   bool
}{
	ableTags:             {api.V(2, 5), true},
	ableListenerTimeouts: {api.V(2, 1), false},
	ableAllowedCIDRs:     {api.V(2, 12), false},
	ableFlavors:          {api.V(2, 6), false},
	ableZones:            {api.V(2, 14), false},
	ableUdpHTTPMonitor:   {api.V(2, 16), false},
	ableAdditionalVIPs:   {api.V(2, 26), false},
}

// can reports whether balancers can do that here.
func (d *Balancers) can(a ability) bool {
	needs := abilities[a]
	return d.version.AtLeast(needs.since.Major, needs.since.Minor) && (needs.ovn || d.config.Provider != config.ProviderOVN)
}
