package cloud

import "net/netip"

// Route sends a pod CIDR to a machine.
type Route struct {
	// Name is the cloud's name or id of the route, "" before it exists.
	Name        string
	Destination netip.Prefix
	Target      InstanceID
	// NodeUID is the UID of the Node that a route is to be made for: upstream's names of routes are made of it. It
	// is "" in a list.
	NodeUID string
	// Blackhole says that the target is gone, or off where the cloud does not tell one from the
	// other.
	Blackhole bool
	// Partial says that the route is not in every table it has to be in. Creating it again
	// completes it, deleting it deletes what there is.
	Partial bool
}
