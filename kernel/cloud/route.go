package cloud

import "net/netip"

// Route sends a pod CIDR to a machine.
type Route struct {
	// Name is the cloud's name or id of the route, "" before it exists.
	Name        string
	Destination netip.Prefix
	Target      InstanceID
	// Blackhole says that the target is gone.
	Blackhole bool
}
