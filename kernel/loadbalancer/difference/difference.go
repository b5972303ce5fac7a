// Package difference compares two states of a load balancer: which operations lead from one to the other,
// in which order they are carried out, and how they are called.
package difference

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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
			operations = append(operations, cloud.Operation{Verb: cloud.Create, Kind: cloud.KindListener, Key: key, After: ListenerSummary(will)})
		case !stays:
			operations = append(operations, cloud.Operation{Verb: cloud.Delete, Kind: cloud.KindListener, Key: key, Before: ListenerSummary(was)})
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

// step is the place of an operation in the order of execution.
type step int

// The order: what is ours is tagged first, then create and widen, then change, then narrow
// and delete. A crash at any point leaves something that serves at least what it did.
const (
	stepOwnershipTag step = iota
	stepCreateBalancer
	stepOpen
	stepCreateTarget
	stepCreateListener
	stepChange
	stepDeleteListener
	stepDeleteTarget
	stepClose
	stepDeleteBalancer
)

var steps = map[cloud.Verb]map[cloud.Kind]step{
	cloud.Create: {cloud.KindBalancer: stepCreateBalancer, cloud.KindListener: stepCreateListener, cloud.KindTarget: stepCreateTarget},
	cloud.Delete: {cloud.KindBalancer: stepDeleteBalancer, cloud.KindListener: stepDeleteListener, cloud.KindTarget: stepDeleteTarget},
}

// Order sorts operations for execution. It is pure and stable.
func Order(operations []cloud.Operation) []cloud.Operation {
	ordered := slices.Clone(operations)
	slices.SortStableFunc(ordered, func(a, b cloud.Operation) int { return cmp.Compare(stepOf(a), stepOf(b)) })
	return ordered
}

func stepOf(op cloud.Operation) step {
	switch {
	case op.Field == cloud.FieldOwnershipTags:
		return stepOwnershipTag
	case op.Verb == cloud.Update:
		return effectOf(op)
	}
	return steps[op.Verb][op.Kind]
}

// effectOf says whether an update lets more clients in or fewer:
//
//	field      opens when           closes when          both
//	allow      becomes a superset   becomes a subset     stepChange
//	deny       becomes a subset     becomes a superset   stepChange
//	dualStack  true                 false
//	scope      external             internal
//	others                                               stepChange
//
// An empty allow list lets everyone in.
func effectOf(op cloud.Operation) step {
	opens, closes := false, false
	if op.Kind == cloud.KindBalancer {
		switch op.Field {
		case cloud.FieldAllow:
			opens, closes = admits(op.After, op.Before), admits(op.Before, op.After)
		case cloud.FieldDeny:
			opens, closes = holds(op.Before, op.After), holds(op.After, op.Before)
		case cloud.FieldDualStack:
			opens, closes = op.After == "true", op.After != "true"
		case cloud.FieldScope:
			opens, closes = op.After == string(cloud.ScopeExternal), op.After == string(cloud.ScopeInternal)
		}
	}
	switch {
	case opens:
		return stepOpen
	case closes:
		return stepClose
	}
	return stepChange
}

// admits reports whether the allow list a lets in everyone that b does.
func admits(a, b string) bool { return a == "" || b != "" && holds(a, b) }

// holds reports whether every item of b is in a.
func holds(a, b string) bool {
	items := strings.Split(a, ",")
	return b == "" || !slices.ContainsFunc(strings.Split(b, ","), func(item string) bool { return !slices.Contains(items, item) })
}

// ListenerSummary says in a few words what a listener does: "HTTPS to HTTP 31443".
func ListenerSummary(l cloud.Listener) string {
	text := string(l.Protocol) + " to "
	if l.TargetProtocol != l.Protocol {
		text += string(l.TargetProtocol) + " "
	}
	return text + strconv.Itoa(l.TargetPort)
}

// balancerSummary says in a few words what a balancer is: "web: external, tcp/80 (TCP to 31080),
// 3 targets".
func balancerSummary(b cloud.Balancer) string {
	parts := []string{string(b.Scope)}
	if b.DualStack {
		parts = append(parts, "dual stack")
	}
	for _, l := range b.Listeners {
		parts = append(parts, fmt.Sprintf("%s (%s)", l.Key(), ListenerSummary(l)))
	}
	if len(b.Allow) > 0 {
		parts = append(parts, "only from "+strings.Join(b.Allow, " "))
	}
	parts = append(parts, Count(len(b.Targets), "target"))
	return b.Name + ": " + strings.Join(parts, ", ")
}

// Creation is the operation that makes the balancer.
func Creation(b cloud.Balancer) cloud.Operation {
	return cloud.Operation{Verb: cloud.Create, Kind: cloud.KindBalancer, After: balancerSummary(b)}
}

// Removal is the operation that deletes the balancer as it was observed, and why.
func Removal(observed cloud.Observed, reason string) cloud.Operation {
	return cloud.Operation{
		Verb: cloud.Delete, Kind: cloud.KindBalancer, Before: balancerSummary(observed.Balancer),
		Reason: reason, Destructive: true,
	}
}

// Summary lists operations in short: fields and listeners by name, targets by number.
func Summary(operations []cloud.Operation) string {
	var parts []string
	targets := 0
	for _, op := range operations {
		switch {
		case op.Kind == cloud.KindTarget:
			targets++
		case op.Kind == cloud.KindBalancer && op.Field == "":
			parts = append(parts, "the balancer itself")
		case op.Kind == cloud.KindBalancer:
			parts = append(parts, cloud.FieldText(op.Field))
		default:
			parts = append(parts, strings.TrimSpace(string(op.Kind)+" "+op.Key+" "+op.Field))
		}
	}
	if targets > 0 {
		parts = append(parts, Count(targets, "target"))
	}
	return strings.Join(parts, ", ")
}

// Count says how many there are of something: "1 target", "3 targets".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
