package instance

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance/cache"
)

// At returns the machines that have these internal addresses, and "" for an address that no machine has. An
// address of which neither is known is missing from the answer: the list of machines is not believed, or two machines
// have it, such as in networks apart.
//
//	the address                                      costs
//	is of a Node's machine that was seen within      nothing
//	 staleAge, or of another one within metadataAge
//	any other                                        a list, if the last one is older than metadataAge
func (i *Inventory) At(ctx context.Context, addresses []netip.Addr) (map[netip.Addr]cloud.InstanceID, error) {
	return i.locate(ctx, addresses, func(a cloud.Address) bool { return a.Type == cloud.AddressInternalIP })
}

// AtAny is At for addresses of whatever type.
func (i *Inventory) AtAny(ctx context.Context, addresses []netip.Addr) (map[netip.Addr]cloud.InstanceID, error) {
	return i.locate(ctx, addresses, func(cloud.Address) bool { return true })
}

func (i *Inventory) locate(ctx context.Context, addresses []netip.Addr, counts func(cloud.Address) bool) (map[netip.Addr]cloud.InstanceID, error) {
	at := func(since, stale time.Time) (map[netip.Addr]cloud.InstanceID, map[netip.Addr]bool) {
		return i.at(addresses, counts, since, stale)
	}
	size := i.size()
	since := sinceAge(i.schedule.metadataAge(size))
	machines, _ := at(since, sinceAge(i.schedule.staleAge(size)))
	if !slices.ContainsFunc(addresses, func(a netip.Addr) bool { return machines[a] == "" }) {
		return machines, nil
	}
	if err := i.lists.refresh(ctx, since); err != nil {
		return nil, err
	}
	machines, several := at(since, since)
	if isWhole(i.cache.Lists(), since) {
		for _, address := range addresses {
			if machines[address] == "" && !several[address] {
				machines[address] = ""
			}
		}
	}
	return machines, nil
}

// at returns the machines that were seen with these addresses at since or later, those of our Nodes at stale or
// later, and the addresses that several machines were seen with.
func (i *Inventory) at(addresses []netip.Addr, counts func(cloud.Address) bool, since, stale time.Time) (machines map[netip.Addr]cloud.InstanceID, several map[netip.Addr]bool) {
	wanted := make(map[netip.Addr]bool, len(addresses))
	for _, address := range addresses {
		wanted[address] = true
	}
	own, lists := machinesOf(i.nodes.own()), i.cache.Lists()
	machines, several = make(map[netip.Addr]cloud.InstanceID, len(wanted)), map[netip.Addr]bool{}
	for _, snapshot := range []*cache.Snapshot{lists.Installed, lists.Refused} {
		if snapshot == nil {
			continue
		}
		for id, r := range snapshot.All() {
			if _, ours := own[id]; r.Seen.Before(since) && (!ours || r.Seen.Before(stale)) {
				continue
			}
			for _, a := range r.Addresses {
				address, err := netip.ParseAddr(a.Address) // clouds write IPv6 in several forms
				if err != nil || !wanted[address] || !counts(a) {
					continue
				}
				if other, found := machines[address]; found && other != id {
					several[address] = true
				}
				machines[address] = id
			}
		}
	}
	for address := range several {
		delete(machines, address)
	}
	return machines, several
}

// isWhole reports whether the newest list is believed, and was started at since or later.
func isWhole(lists cache.Lists, since time.Time) bool {
	return lists.Refused == nil && !lists.Installed.Started.Before(since)
}
