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
//	check of a port that stays   comes before all that is not open, see checked
//	not open, needed             gets the room that is left: the oldest Service as many of its units as
//	                             fit, then the next. What adds no rule always fits
func share(needs []need, open []cloud.Opening, l limits) (kept []cloud.Opening, waiting []need) {
	needs = oldestFirst(needs)
	var wanted []cloud.Opening
	var queue [][]cloud.Opening
	for _, n := range needs {
		wanted, queue = append(wanted, n.openings...), append(queue, units(n)...)
	}
	if kept = merge(wanted); l.hold(kept) {
		return kept, nil
	}
	kept = l.fill(checked(needs, stay(wanted, open, l), l), queue)
	kept = checked(needs, kept, l) // what was filled in may have joined rules
	for _, n := range needs {
		if closed := slices.DeleteFunc(merge(n.openings), func(o cloud.Opening) bool { return isOpen(o, kept) }); len(closed) > 0 {
			waiting = append(waiting, need{n.service, closed})
		}
	}
	return kept, waiting
}

// stay returns what is open and wanted. A closing may cut a rule into several, and so may narrower sources.
// Then as many of these stay as the rule was, so that no other rule goes for them: those with its sources
// first, then those of the oldest Service, then what is exchanged: wanted on these ports, and open to nobody
// who wants it. The rest stays where there is room. What is exchanged does too, unless others have its ports.
func stay(wanted, open []cloud.Opening, l limits) []cloud.Opening {
	var first, rest [][]cloud.Opening
	for _, rule := range merge(open) {
		parts := within(wanted, []cloud.Opening{rule})
		exchanged := slices.DeleteFunc(onPorts(wanted, rule), func(o cloud.Opening) bool { return len(within([]cloud.Opening{o}, []cloud.Opening{rule})) > 0 })
		alone := pieces(parts, rule)
		first = append(first, limits{l.of(rule), l.sources}.fill(nil, slices.Concat(alone, pieces(exchanged, rule))))
		dark := slices.DeleteFunc(exchanged, func(o cloud.Opening) bool { return len(onPorts(parts, o)) > 0 })
		rest = slices.Concat(rest, alone, pieces(dark, rule))
	}
	return l.fill(l.fill(nil, first), rest)
}

// pieces merges parts of a rule: by the oldest Service that has a part of it, after all others where the
// sources are not the rule's any more.
func pieces(parts []cloud.Opening, rule cloud.Opening) [][]cloud.Opening {
	rank := func(piece cloud.Opening) int {
		age := slices.IndexFunc(parts, func(part cloud.Opening) bool { return piece.From <= part.To && part.From <= piece.To })
		if sameSources(piece, rule) {
			return age
		}
		return len(parts) + age
	}
	list := merge(parts)
	slices.SortStableFunc(list, func(a, b cloud.Opening) int { return cmp.Compare(rank(a), rank(b)) })
	return slices.Collect(slices.Chunk(list, 1))
}

// checked adds the health checks of ports that stay. Where there is no room for the check of a Service, it
// gives up ports of its own, the last ones first: without the check they are of no use. It keeps them where
// closing them would cut rules of others into more than the firewall holds.
func checked(needs []need, kept []cloud.Opening, l limits) []cloud.Opening {
	for _, n := range needs {
		checks, ports := n.parts()
		ports = within(ports, kept)
		for i := len(ports); i >= 0 && len(ports) > 0 && n.unchecked(kept); i-- {
			next := without(ports[i:], needs, kept)
			if i > 0 {
				next = add(next, checks...)
			}
			if l.hold(next) && !same(next, kept) {
				return checked(needs, next, l)
			}
		}
	}
	return kept
}

// without closes ports, except for Services whose health checks are open.
func without(ports []cloud.Opening, needs []need, kept []cloud.Opening) []cloud.Opening {
	var rest []cloud.Opening
	for _, n := range needs {
		rest = append(rest, slices.DeleteFunc(within(n.openings, kept), func(o cloud.Opening) bool {
			return len(onPorts(ports, o)) > 0 && n.unchecked(kept)
		})...)
	}
	return merge(rest)
}

// parts are the health checks from the balancer of a Service, without which its ports are of no use, and these.
func (n need) parts() (checks, ports []cloud.Opening) {
	for _, o := range merge(n.openings) {
		if len(o.Sources) == 0 {
			checks = append(checks, o)
		} else {
			ports = append(ports, o)
		}
	}
	return checks, ports
}

// unchecked reports whether a health check of a Service is closed.
func (n need) unchecked(open []cloud.Opening) bool {
	checks, _ := n.parts()
	return slices.ContainsFunc(checks, func(o cloud.Opening) bool { return !isOpen(o, open) })
}

// units divides what a Service needs into what is opened together or not at all: each port with the checks.
func units(n need) (list [][]cloud.Opening) {
	checks, ports := n.parts()
	for _, port := range ports {
		list = append(list, slices.Concat(checks, []cloud.Opening{port}))
	}
	return list
}

// isOpen reports whether all of an opening is open.
func isOpen(o cloud.Opening, open []cloud.Opening) bool {
	return same(within([]cloud.Opening{o}, open), []cloud.Opening{o})
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
