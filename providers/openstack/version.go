package openstack

import "fmt"

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
	since apiVersion
	ovn   bool
}{
	ableTags:             {apiVersion{2, 5}, true},
	ableListenerTimeouts: {apiVersion{2, 1}, false},
	ableAllowedCIDRs:     {apiVersion{2, 12}, false},
	ableFlavors:          {apiVersion{2, 6}, false},
	ableZones:            {apiVersion{2, 14}, false},
	ableUdpHTTPMonitor:   {apiVersion{2, 16}, false},
	ableAdditionalVIPs:   {apiVersion{2, 26}, false},
}

// can reports whether balancers can do that here.
func (d *Driver) can(a ability) bool {
	needs := abilities[a]
	return d.octavia.atLeast(needs.since.major, needs.since.minor) && (needs.ovn || d.config.balancer.provider != providerOVN)
}

func (v apiVersion) String() string { return fmt.Sprintf("v%d.%d", v.major, v.minor) }
