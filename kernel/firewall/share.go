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
//	not open, needed             gets the room that is left: the oldest Service as much as fits, then
//	                             the next. What adds no rule always fits
func share(needs []need, open []cloud.Opening, l limits) (kept []cloud.Opening, waiting []need) {
	needs = oldestFirst(needs)
	if all := merge(all(needs)); l.hold(all) {
		return all, nil
	}
	kept = stay(needs, open, l)
	for _, n := range needs {
		var waits []cloud.Opening
		kept, waits = admit(kept, n.openings, l)
		if len(waits) > 0 {
			waiting = append(waiting, need{n.service, waits})
		}
	}
	return kept, waiting
}

// stay returns what is open and needed. A closing may cut a rule into several, and so may narrower
// sources. Then as many of these stay as the rule was, so that no other rule goes for them: those
// with its sources first, then those of the oldest Service. The rest stays where there is room.
func stay(needs []need, open []cloud.Opening, l limits) []cloud.Opening {
	var kept, rest []cloud.Opening
	for _, rule := range merge(open) {
		parts := within(all(needs), []cloud.Opening{rule})
		pieces := merge(parts)
		slices.SortStableFunc(pieces, func(a, b cloud.Opening) int { return cmp.Compare(rank(a, rule, parts), rank(b, rule, parts)) })
		stays, more := fill(nil, pieces, limits{rules: l.of(rule), sources: l.sources})
		kept, rest = append(kept, stays...), append(rest, more...)
	}
	kept, _ = fill(nil, append(kept, rest...), l)
	return kept
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

// fill adds openings one after the other, as long as there is room, and returns what has none.
func fill(kept, openings []cloud.Opening, l limits) (filled, rest []cloud.Opening) {
	for _, o := range openings {
		if extended := add(kept, o); l.hold(extended) {
			kept = extended
		} else {
			rest = append(rest, o)
		}
	}
	return kept, rest
}

// admit adds what has room of one Service's openings, by protocol and port, and returns what waits.
// No port is of use without the health check of the balancer: it comes before any port, or with the
// first one.
func admit(kept, openings []cloud.Opening, l limits) (extended, waits []cloud.Opening) {
	var checks, ports []cloud.Opening
	serves := false
	for _, o := range merge(openings) {
		switch {
		case isOpen(o, kept):
			serves = serves || len(o.Balancers) == 0
		case len(o.Balancers) > 0:
			checks = append(checks, o)
		default:
			ports = append(ports, o)
		}
	}
	tryChecks := func(with ...cloud.Opening) bool {
		more := add(kept, append(with, checks...)...)
		if !l.hold(more) {
			return false
		}
		kept, checks = more, nil
		return true
	}
	if serves || len(ports) == 0 {
		tryChecks()
	}
	for _, port := range ports {
		if !tryChecks(port) {
			waits = append(waits, port)
		}
	}
	return kept, merge(append(waits, checks...))
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
