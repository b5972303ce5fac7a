package loadbalancer

import (
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Diff returns the operations that lead from before to after, sorted by kind, key and
// field. It is pure; Diff(x, x) is empty.
//
//	what differs                      operation
//	field of the balancer             update balancer <field>
//	field of its health check         update balancer health.<field>
//	listener only in after            create listener <key>
//	listener only in before           delete listener <key>
//	field of a listener in both       update listener <key> <field>
//	target only in after              create target <id>
//	target only in before             delete target <id>
//	the same behind one listener      create, delete target <id> <key>
//
// Where targets are kept for each listener, those of a listener in both are compared one by
// one: Field is the listener's key.
//
// A field that one side does not have counts as empty, so that a driver may leave out
// empty provider fields.
func Diff(before, after cloud.Balancer) []cloud.Operation {
	operations := diffFields(cloud.KindBalancer, "", before.Fields(), after.Fields())
	operations = append(operations, diffListeners(before.Listeners, after.Listeners)...)
	return append(operations, diffAllTargets(before, after)...)
}

func diffAllTargets(before, after cloud.Balancer) []cloud.Operation {
	wanted := byKey(after.Listeners)
	var operations []cloud.Operation
	each := false
	for _, l := range before.Listeners {
		if _, stays := wanted[l.Key()]; !stays || l.Targets == nil {
			continue
		}
		each = true
		for _, op := range diffTargets(l.Targets, after.Targets) {
			op.Field = l.Key()
			operations = append(operations, op)
		}
	}
	if each {
		return operations
	}
	return diffTargets(before.Targets, after.Targets)
}

func diffFields(kind cloud.Kind, key string, before, after map[string]string) []cloud.Operation {
	names := maps.Clone(before)
	maps.Copy(names, after)
	var operations []cloud.Operation
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before[name] != after[name] {
			operations = append(operations, cloud.Operation{
				Verb: cloud.Update, Kind: kind, Key: key, Field: name, Before: before[name], After: after[name],
			})
		}
	}
	return operations
}

func diffListeners(before, after []cloud.Listener) []cloud.Operation {
	old, wanted := byKey(before), byKey(after)
	all := maps.Clone(old)
	maps.Copy(all, wanted)
	var operations []cloud.Operation
	for _, key := range slices.Sorted(maps.Keys(all)) {
		was, existed := old[key]
		will, stays := wanted[key]
		switch {
		case !existed:
			operations = append(operations, cloud.Operation{Verb: cloud.Create, Kind: cloud.KindListener, Key: key, After: listenerSummary(will)})
		case !stays:
			operations = append(operations, cloud.Operation{Verb: cloud.Delete, Kind: cloud.KindListener, Key: key, Before: listenerSummary(was)})
		default:
			operations = append(operations, diffFields(cloud.KindListener, key, was.Fields(), will.Fields())...)
		}
	}
	return operations
}

func byKey(listeners []cloud.Listener) map[string]cloud.Listener {
	keyed := make(map[string]cloud.Listener, len(listeners))
	for _, l := range listeners {
		keyed[l.Key()] = l
	}
	return keyed
}

func diffTargets(before, after []cloud.InstanceID) []cloud.Operation {
	old, wanted := setOf(before), setOf(after)
	var operations []cloud.Operation
	for _, id := range slices.Sorted(maps.Keys(wanted)) {
		if !old[id] {
			operations = append(operations, cloud.Operation{Verb: cloud.Create, Kind: cloud.KindTarget, Key: string(id)})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(old)) {
		if !wanted[id] {
			operations = append(operations, cloud.Operation{Verb: cloud.Delete, Kind: cloud.KindTarget, Key: string(id)})
		}
	}
	return operations
}

func setOf(ids []cloud.InstanceID) map[cloud.InstanceID]bool {
	set := make(map[cloud.InstanceID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
