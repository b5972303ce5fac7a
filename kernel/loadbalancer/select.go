package loadbalancer

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// targetsOf returns the targets that a balancer of that shape shall have, sorted, and the
// nodes it cannot have. It is pure.
//
//	machine    attached now  becomes a target
//	candidate  -             if it is eligible
//	unknown    yes           yes: what serves is not cut off for want of knowledge
//	unknown    no            no
//	of no node yes           while a machine is unknown: it may be that one
//	of no node yes           while a node's machine could not be found by name: it may be that one
func targetsOf(shape cloud.Balancer, c candidates, attached []cloud.InstanceID, b cloud.Balancers, limit int) ([]cloud.InstanceID, []skip) {
	present, names := setOf(attached), map[cloud.InstanceID]string{}
	skipped := slices.Clone(c.skipped)
	var ids []cloud.InstanceID
	add := func(id cloud.InstanceID, node, reason string, fits bool) {
		if names[id] = node; fits {
			ids = append(ids, id)
		} else if reason != "" {
			skipped = append(skipped, skip{node, reason})
		}
	}
	for _, candidate := range c.targets {
		reason := b.Eligible(shape, candidate)
		add(candidate.InstanceID, candidate.NodeName, reason, reason == "")
	}
	for _, d := range c.unknown {
		add(d.id, d.node, d.reason, present[d.id])
	}
	for _, id := range attached {
		if _, known := names[id]; id.Unknown() && len(c.unknown) > 0 || !known && c.unresolved {
			ids = append(ids, id)
		}
	}
	ids, left := atMost(limit, ids, present)
	for _, id := range left {
		skipped = append(skipped, skip{names[id], fmt.Sprintf("a balancer has at most %d targets", limit)})
	}
	return ids, skipped
}

// atMost splits ids at the limit, 0 for none. Those attached now stay, then the smallest
// come, so that nothing flaps.
func atMost(limit int, ids []cloud.InstanceID, attached map[cloud.InstanceID]bool) (taken, left []cloud.InstanceID) {
	rank := func(id cloud.InstanceID) int {
		if attached[id] {
			return 0
		}
		return 1
	}
	slices.SortFunc(ids, func(a, b cloud.InstanceID) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	if limit == 0 || len(ids) < limit {
		limit = len(ids)
	}
	taken, left = ids[:limit:limit], ids[limit:]
	slices.Sort(taken)
	return taken, left
}

func setOf(ids []cloud.InstanceID) map[cloud.InstanceID]bool {
	set := make(map[cloud.InstanceID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
