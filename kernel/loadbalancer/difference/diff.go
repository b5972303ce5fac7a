// Package difference compares two states of a load balancer: which operations lead from one to the other,
// in which order they are carried out, and how they are called.
package difference

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Of returns the operations that lead from before to after, sorted by kind, key and
// field. It is pure; Of(x, x) is empty.
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
func Of(before, after cloud.Balancer) []cloud.Operation {
	operations := Fields(cloud.KindBalancer, "", before.Fields(), after.Fields())
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

// Fields returns the updates of the fields that differ, sorted by name.
func Fields(kind cloud.Kind, key string, before, after map[string]string) []cloud.Operation {
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
			operations = append(operations, Fields(cloud.KindListener, key, was.Fields(), will.Fields())...)
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
	old, wanted := sortedSet(before), sortedSet(after)
	if slices.Equal(old, wanted) {
		return nil
	}
	var operations []cloud.Operation
	only := func(verb cloud.Verb, ids, others []cloud.InstanceID) {
		for _, id := range ids {
			if _, both := slices.BinarySearch(others, id); !both {
				operations = append(operations, cloud.Operation{Verb: verb, Kind: cloud.KindTarget, Key: string(id)})
			}
		}
	}
	only(cloud.Create, wanted, old)
	only(cloud.Delete, old, wanted)
	return operations
}

// sortedSet returns ids sorted and each once; mostly they are.
func sortedSet(ids []cloud.InstanceID) []cloud.InstanceID {
	for i := 1; i < len(ids); i++ {
		if ids[i-1] >= ids[i] {
			return slices.Compact(slices.Sorted(slices.Values(ids)))
		}
	}
	return ids
}

// Fingerprint returns the same text for equal values. They must be of types that JSON can
// hold, as all of kernel/cloud's are.
func Fingerprint(values ...any) string {
	data, err := json.Marshal(values)
	if err != nil {
		panic("fingerprint of a type JSON cannot hold: " + err.Error())
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
