package firewall

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// need is what one Service needs, or what of it waits for room.
type need struct {
	service  *corev1.Service
	openings []cloud.Opening
}

// share returns what the firewall lets in from now on, and what of each Service waits because the
// firewall holds no more, the oldest Service first. Where all has room, all is open. Else:
//
//	open now, needed by nobody   is closed
//	open now, needed             stays, see stay
//	not open, needed             gets the room that is left: the oldest Service as many of its units as
//	                             fit, then the next. What adds no rule always fits
func share(needs []need, open []cloud.Opening, l limits) (kept []cloud.Opening, waiting []need) {
	needs = oldestFirst(needs)
	wanted := all(needs)
	if kept = merge(wanted); l.hold(kept) {
		return kept, nil
	}
	kept = stay(wanted, open, l)
	for _, n := range needs {
		kept = l.fill(kept, units(n))
	}
	for _, n := range needs {
		closed := slices.DeleteFunc(merge(n.openings), func(o cloud.Opening) bool { return isOpen(o, kept) })
		if len(closed) > 0 {
			waiting = append(waiting, need{n.service, closed})
		}
	}
	return kept, waiting
}

// stay returns what is open and wanted. A closing may cut a rule into several, and so may narrower
// sources. Then as many of these stay as the rule was, so that no other rule goes for them: those
// with its sources first, then those of the oldest Service. The rest stays where there is room.
func stay(wanted, open []cloud.Opening, l limits) []cloud.Opening {
	var first, rest [][]cloud.Opening
	for _, rule := range merge(open) {
		parts := within(wanted, []cloud.Opening{rule})
		pieces := merge(parts)
		slices.SortStableFunc(pieces, func(a, b cloud.Opening) int { return cmp.Compare(rank(a, rule, parts), rank(b, rule, parts)) })
		alone := slices.Collect(slices.Chunk(pieces, 1))
		first = append(first, limits{l.of(rule), l.sources}.fill(nil, alone))
		rest = append(rest, alone...)
	}
	return l.fill(l.fill(nil, first), rest)
}

// rank orders the pieces of a rule: by the oldest Service that has a part of it, after all others where
// the sources are not the rule's any more.
func rank(piece, rule cloud.Opening, parts []cloud.Opening) int {
	age := slices.IndexFunc(parts, func(part cloud.Opening) bool { return piece.From <= part.To && part.From <= piece.To })
	if sameSources(piece, rule) {
		return age
	}
	return len(parts) + age
}

// units divides what a Service needs into what is opened together or not at all: each port with the
// health check of the balancer, without which it is of no use.
func units(n need) [][]cloud.Opening {
	var checks, ports []cloud.Opening
	for _, o := range merge(n.openings) {
		if len(o.Balancers) > 0 {
			checks = append(checks, o)
		} else {
			ports = append(ports, o)
		}
	}
	if len(ports) == 0 {
		return [][]cloud.Opening{checks}
	}
	var list [][]cloud.Opening
	for _, port := range ports {
		list = append(list, slices.Concat(checks, []cloud.Opening{port}))
	}
	return list
}

// isOpen reports whether all of an opening is open.
func isOpen(o cloud.Opening, open []cloud.Opening) bool {
	return same(within([]cloud.Opening{o}, open), []cloud.Opening{o})
}

// all returns the openings of all needs.
func all(needs []need) []cloud.Opening {
	var list []cloud.Opening
	for _, n := range needs {
		list = append(list, n.openings...)
	}
	return list
}

// oldestFirst orders Services by age. Nobody can choose the time of creation, nor the UID, by which
// those of one second are told apart.
func oldestFirst(needs []need) []need {
	return slices.SortedStableFunc(slices.Values(needs), func(a, b need) int {
		return cmp.Or(
			a.service.CreationTimestamp.Compare(b.service.CreationTimestamp.Time),
			cmp.Compare(a.service.UID, b.service.UID),
		)
	})
}
