package target

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/refused"
)

// targetsOf returns the targets that a balancer of that shape shall have, sorted, and tells skip of the
// nodes it cannot have. It is pure.
//
//	machine    attached now  becomes a target
//	candidate  -             if it is eligible
//	unknown    yes           yes: what serves is not cut off for want of knowledge
//	unknown    no            no
//	of no node yes           while a machine is unknown: it may be that one
//	of no node yes           while a node's machine could not be found by name: it may be that one
//	refused    no            no, for a while
func targetsOf(shape cloud.Balancer, c Candidates, attached []cloud.InstanceID, r Rules, skip func(node, reason string)) []cloud.InstanceID {
	for _, s := range c.skipped {
		skip(s.node, s.reason)
	}
	ids := make([]cloud.InstanceID, 0, len(c.Targets))
	add := func(id cloud.InstanceID, node, reason string, fits bool) {
		if fits {
			ids = append(ids, id)
		} else if reason != "" {
			skip(node, reason)
		}
	}
	for _, candidate := range c.Targets {
		reason := r.Balancers.Eligible(shape, candidate)
		add(candidate.InstanceID, candidate.NodeName, reason, reason == "")
	}
	if len(c.unknown) > 0 || c.unidentified {
		ids = append(ids, c.perhaps(attached)...)
		for _, d := range c.unknown {
			add(d.id, d.node, d.reason, slices.Contains(attached, d.id))
		}
	}
	ids, reasons := r.Refused.Hold(ids, time.Now(), func() (some, all map[cloud.InstanceID]bool) {
		return refused.SetOf(attached), refused.BehindAll(attached, r.Listeners)
	})
	find := c.finder()
	for id, reason := range reasons {
		if node, _ := c.nodeOf(find, id); node != "" && reason != "" {
			skip(node, reason)
		}
	}
	slices.Sort(ids)
	if r.Limit == 0 || len(ids) <= r.Limit {
		return ids
	}
	return c.placed(r.Limit, ids, attached, skip)
}

// placed returns those of sorted ids that have a place, and tells skip of the nodes of the others.
func (c Candidates) placed(limit int, ids, attached []cloud.InstanceID, skip func(node, reason string)) []cloud.InstanceID {
	find, reason := c.finder(), fmt.Sprintf("a balancer has at most %d targets", limit)
	taken := atMost(limit, ids, attached, func(id cloud.InstanceID) string { return find(id).Zone })
	next := 0
	for _, id := range ids {
		if next < len(taken) && taken[next] == id {
			next++
			continue
		}
		node, _ := c.nodeOf(find, id)
		skip(node, reason)
	}
	return taken
}

// perhaps returns the attached targets that may be those of a node whose machine is unknown.
func (c Candidates) perhaps(attached []cloud.InstanceID) []cloud.InstanceID {
	find := c.finder()
	var ids []cloud.InstanceID
	for _, id := range attached {
		if _, known := c.nodeOf(find, id); id.Unknown() && len(c.unknown) > 0 || !known && c.unidentified {
			ids = append(ids, id)
		}
	}
	return ids
}

// finder returns what finds candidates by their ids, the zero value for none. Where it is asked in the order of the ids it need not search.
func (c Candidates) finder() func(cloud.InstanceID) cloud.Target {
	next := 0
	return func(id cloud.InstanceID) cloud.Target {
		if next >= len(c.Targets) || c.Targets[next].InstanceID != id {
			at, found := slices.BinarySearchFunc(c.Targets, id, func(t cloud.Target, id cloud.InstanceID) int { return cmp.Compare(t.InstanceID, id) })
			if !found {
				return cloud.Target{}
			}
			next = at
		}
		next++
		return c.Targets[next-1]
	}
}

// nodeOf returns the node of a machine, also of one that could not be read.
func (c Candidates) nodeOf(find func(cloud.InstanceID) cloud.Target, id cloud.InstanceID) (node string, known bool) {
	at, unknown := slices.BinarySearchFunc(c.unknown, id, func(u unknownTarget, id cloud.InstanceID) int { return cmp.Compare(u.id, id) })
	if unknown {
		return c.unknown[at].node, true
	}
	candidate := find(id)
	return candidate.NodeName, candidate.InstanceID != ""
}

// atMost returns those of sorted ids that have a place, sorted. There are more of them than the limit. Those attached now stay, so
// that nothing flaps. Then the zones take turns, the one with the fewest first, each with its smallest id.
func atMost(limit int, ids, attached []cloud.InstanceID, zoneOf func(cloud.InstanceID) string) []cloud.InstanceID {
	present, taken := refused.SetOf(attached), make([]cloud.InstanceID, 0, limit)
	for _, id := range ids {
		if present[id] && len(taken) < limit {
			taken = append(taken, id)
		}
	}
	if len(taken) == limit {
		return taken
	}
	type seat struct {
		turn int
		id   cloud.InstanceID
	}
	inZone, seats := map[string]int{}, make([]seat, 0, len(ids)-len(taken))
	for _, id := range taken {
		inZone[zoneOf(id)]++
	}
	for _, id := range ids {
		if !present[id] {
			zone := zoneOf(id)
			inZone[zone]++
			seats = append(seats, seat{inZone[zone], id})
		}
	}
	slices.SortFunc(seats, func(a, b seat) int { return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.id, b.id)) })
	for _, s := range seats[:limit-len(taken)] {
		taken = append(taken, s.id)
	}
	slices.Sort(taken)
	return taken
}

// Rules are what decides besides the nodes.
type Rules struct {
	Balancers cloud.Balancers
	Limit     int // 0 for none
	// Brought says that this process has brought the balancer's targets to the nodes once.
	Brought bool
	// Kept are targets that it kept for want of proof, for the same request.
	Kept []cloud.InstanceID
	// Refused are machines that the cloud has refused, nil for none, and Listeners the present ones.
	Refused   *refused.Targets
	Listeners []cloud.Listener
}

// Select returns the balancer with the targets it shall have, those of them that stay for want of
// proof, and what is to be said.
func Select(b cloud.Balancer, attached []cloud.InstanceID, c Candidates, r Rules) (chosen cloud.Balancer, held []cloud.InstanceID, warnings []problem.Warning) {
	b = b.Clone()
	left := skips{}
	targets := targetsOf(b, c, attached, r, left.add)
	kept := len(targets) == 0 && len(c.Targets) > 0
	if kept {
		// There are machines and none will do: that is rather a mistake of the configuration
		// than a reason to cut off what serves.
		targets = slices.Clone(attached)
	}
	held = hold(attached, targets, c, r)
	if b.Targets = targets; len(held) > 0 {
		b.Targets = slices.Sorted(slices.Values(slices.Concat(targets, held)))
	}
	for i := range b.Listeners {
		b.Listeners[i].Targets = nil
	}
	warnings = c.warnings(left)
	switch {
	case kept && len(targets) > 0:
		warnings = append(warnings, problem.Warn(event.NoTargets, "no node can be a target of this balancer, so it keeps those it has"))
	case len(b.Targets) == 0 && !c.joining && !r.Refused.IsTrial():
		warnings = append(warnings, problem.Warn(event.NoTargets, c.WhyNone("no node can be a target of this balancer", b, r)))
	}
	return b, held, append(warnings, heldWarnings(held, attached, b, c, r)...)
}

// A process that has just started, or taken over, knows a balancer's targets only from the cloud.
// Where its idea of the nodes and that of whoever put the targets there differ, most would go at
// once, and with them the traffic. So they stay until there is proof for each that it may go.

// hold returns the targets that stay although no node asks for them. It is pure.
//
//	this process                   that would go  a target without proof
//	has brought the targets once   any number     goes, but not one that was kept before
//	has not                        half or fewer  goes
//	has not                        more, or all   stays
//
// What was kept is let go when there is proof (see Prove), when a node asks for it and later does
// not, and when the Service asks for something else than then.
func hold(attached, targets []cloud.InstanceID, c Candidates, r Rules) []cloud.InstanceID {
	if len(attached) == 0 || slices.Equal(attached, targets) {
		return nil
	}
	wanted, kept := refused.SetOf(targets), refused.SetOf(r.Kept)
	served := sync.OnceValue(func() map[string]bool { return addressesOf(c.Targets, wanted) })
	var going []cloud.InstanceID
	for _, id := range attached {
		if !wanted[id] && (!id.Unknown() || !served()[addressOf(id)]) {
			going = append(going, id)
		}
	}
	most := 2*len(going) > len(attached)
	return slices.DeleteFunc(going, func(id cloud.InstanceID) bool {
		return c.free[id] || !kept[id] && (r.Brought || !most)
	})
}

// addressesOf returns the addresses of candidates, and which are those of a wanted one.
func addressesOf(candidates []cloud.Target, wanted map[cloud.InstanceID]bool) map[string]bool {
	addresses := map[string]bool{}
	for _, candidate := range candidates {
		for _, a := range candidate.Addresses {
			addresses[a.Address] = wanted[candidate.InstanceID]
		}
	}
	return addresses
}

// addressOf is the address of an unknown target.
func addressOf(id cloud.InstanceID) string {
	address, _, _ := strings.Cut(id.Address(), "#")
	return address
}

// heldWarnings say which of the attached targets are kept and why.
func heldWarnings(held, attached []cloud.InstanceID, b cloud.Balancer, c Candidates, r Rules) []problem.Warning {
	if len(held) == 0 {
		return nil
	}
	nodes, reasons := map[cloud.InstanceID]string{}, map[string]string{}
	for _, candidate := range c.Targets {
		nodes[candidate.InstanceID] = candidate.NodeName
	}
	targetsOf(b, c, attached, r, func(node, reason string) { reasons[node] = reason })
	var texts []string
	for _, id := range held {
		text := strings.TrimPrefix(string(id), "?") + " (no Node is known for it)"
		if node := nodes[id]; node != "" {
			text = fmt.Sprintf("%s (node %s: %s)", id, node, reasons[node])
		}
		texts = append(texts, text)
	}
	return []problem.Warning{problem.Warn(event.TargetsKept, fmt.Sprintf("%d of %s stay until something proves that they may go: %s", len(held), difference.Count(len(attached), "target"), firstOf(texts)))}
}
