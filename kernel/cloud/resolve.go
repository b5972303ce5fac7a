package cloud

import (
	"slices"
	"strings"
	"sync"
)

// Resolve returns the observation with the machines in place of their addresses, where
// targets were observed as UnknownInstance. Addresses that none of the machines has stay.
func (o Observed) Resolve(machines []Target) Observed {
	owners := sync.OnceValue(func() map[string]InstanceID { return ownersOf(machines) })
	resolve := func(ids []InstanceID) []InstanceID {
		if !slices.ContainsFunc(ids, InstanceID.Unknown) {
			return ids
		}
		resolved := make([]InstanceID, len(ids))
		for i, id := range ids {
			resolved[i] = id
			if owner, known := owners()[id.Address()]; known && id.Unknown() {
				resolved[i] = owner
			}
		}
		slices.Sort(resolved)
		return slices.Compact(resolved)
	}
	o.Balancer.Targets = resolve(o.Balancer.Targets)
	o.Balancer.Listeners = slices.Clone(o.Balancer.Listeners)
	for i := range o.Balancer.Listeners {
		o.Balancer.Listeners[i].Targets = resolve(o.Balancer.Listeners[i].Targets)
	}
	return o
}

// ownersOf returns the machines by address. Of several with one address the last counts.
func ownersOf(machines []Target) map[string]InstanceID {
	owners := make(map[string]InstanceID, 2*len(machines))
	for _, machine := range machines {
		for _, a := range machine.Addresses {
			owners[a.Address] = machine.InstanceID
		}
	}
	return owners
}

// Address returns the address of an UnknownInstance.
func (id InstanceID) Address() string { return strings.TrimPrefix(string(id), unknown) }
