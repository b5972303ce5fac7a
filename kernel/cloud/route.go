package cloud

import (
	"net/netip"
	"slices"
)

// Route sends a pod CIDR to a machine.
type Route struct {
	// Name is the cloud's name or id of the route, "" before it exists.
	Name        string
	Destination netip.Prefix
	Target      InstanceID
	// NodeUID is the UID of the Node that a route is to be made for: upstream's names of routes are made of it. It
	// is "" in a list.
	NodeUID string
	// NextHop is an internal address of the Target, of the family of Destination, where Capabilities.RoutesByAddress
	// says that a route names that. CreateRoute gets it beside the Target, not valid where the machine has none;
	// ListRoutes returns it in place of Target and Blackhole for each route that names an address, whatever the
	// capability, and the kernel finds out whose it is.
	NextHop netip.Addr
	// Blackhole says that the target is gone, or off where the cloud does not tell one from the
	// other.
	Blackhole bool
	// Impaired is what the cloud says keeps packets from arriving although the route is there, for people; "" for
	// nothing. The kernel tells the Node.
	Impaired string
	// Partial says that the route is not in every table it has to be in. Creating it again
	// completes it, deleting it deletes what there is.
	Partial bool
}

// NextHop is the first internal address of a machine that is of the family of a route's destination; it is not valid
// where there is none.
func (i Instance) NextHop(destination netip.Prefix) netip.Addr {
	for _, a := range i.Addresses {
		ip, err := netip.ParseAddr(a.Address)
		if err == nil && a.Type == AddressInternalIP && ip.Is4() == destination.Addr().Is4() {
			return ip
		}
	}
	return netip.Addr{}
}

// HasInternal reports whether an internal address of the machine is that one.
func (i Instance) HasInternal(address netip.Addr) bool {
	return slices.ContainsFunc(i.Addresses, func(a Address) bool {
		ip, err := netip.ParseAddr(a.Address)
		return err == nil && a.Type == AddressInternalIP && ip == address
	})
}
