package openstack

// ability is something that only some clouds' balancers have.
type ability int

// Abilities, with the version of Octavia's API that brought them
// (https://docs.openstack.org/api-ref/load-balancer/v2/#api-version-history). The ovn provider
// has few of them in any version.
const (
	tags ability = iota
	listenerTimeouts
	allowedCIDRs
	flavors
	zones
	udpHTTPMonitor
	additionalVIPs
)

var abilities = map[ability]struct {
	since apiVersion
	ovn   bool
}{
	tags:             {apiVersion{2, 5}, true},
	listenerTimeouts: {apiVersion{2, 1}, false},
	allowedCIDRs:     {apiVersion{2, 12}, false},
	flavors:          {apiVersion{2, 6}, false},
	zones:            {apiVersion{2, 14}, false},
	udpHTTPMonitor:   {apiVersion{2, 16}, false},
	additionalVIPs:   {apiVersion{2, 26}, false},
}

// providerOVN is the provider that keeps clients' addresses and can do less.
const providerOVN = "ovn"

// can reports whether balancers can do that here.
func (d *Driver) can(a ability) bool {
	needs := abilities[a]
	return d.octavia.atLeast(needs.since) && (needs.ovn || d.config.balancer.provider != providerOVN)
}

func (v apiVersion) atLeast(other apiVersion) bool {
	return v.major > other.major || v.major == other.major && v.minor >= other.minor
}
