package firewall

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// need is what one Service needs, or what of it has no room.
type need struct {
	service  *corev1.Service
	openings []cloud.Opening
}

// unit is what is opened together or not at all.
type unit struct {
	service  *corev1.Service
	openings []cloud.Opening
	// rank orders the units of a namespace: the rules that the Service has with this one.
	rank int
}

// turns are the units of one namespace that wait.
type turns struct {
	units []unit
	// rules is what the namespace has of the firewall, price what its next unit adds to it as
	// far as that is known.
	rules, price int
}

// share returns what is opened, in its shortest form, and what is not because the firewall
// holds no more. Where all of it has room nothing is left out. Else it depends on the Services
// alone and not on what is open: nobody has more by being first, and nothing opens and closes
// from pass to pass.
//
//	namespaces            take turns: the next is the one that would have the fewest rules then,
//	                      of equal ones that with the oldest Service
//	Services of one       take turns likewise, the oldest first
//	openings of a Service by protocol and port; the health check of its balancer, without which
//	                      no port is of use, goes with the first
//
// What adds no rule, because others have its neighbours, is always opened.
func share(needs []need, l limits) (kept []cloud.Opening, left []need) {
	var all []cloud.Opening
	for _, c := range needs {
		all = append(all, c.openings...)
	}
	if kept = merge(all); l.hold(l.of(kept...)) {
		return kept, nil
	}
	kept = nil
	refused := map[*corev1.Service][]cloud.Opening{}
	queues := queuesOf(needs, l)
	for q := next(queues); q != nil; q = next(queues) {
		u := q.units[0]
		extended := add(kept, u.openings...)
		cost := l.of(extended...) - l.of(kept...)
		switch {
		case cost > q.price:
			q.price = cost // others may come first
			continue
		case l.hold(l.of(extended...)):
			kept = extended
			q.rules += max(cost, 0)
		default:
			refused[u.service] = append(refused[u.service], u.openings...)
		}
		q.units, q.price = q.units[1:], 0
	}
	for _, c := range needs {
		if openings := refused[c.service]; len(openings) > 0 {
			left = append(left, need{c.service, merge(openings)})
		}
	}
	return kept, left
}

// next returns the namespace whose turn it is, nil when nothing waits.
func next(queues []*turns) *turns {
	var first *turns
	for _, q := range queues {
		if len(q.units) > 0 && (first == nil || q.rules+q.price < first.rules+first.price) {
			first = q
		}
	}
	return first
}

// queuesOf returns the units of each namespace, those with the oldest Service first.
func queuesOf(needs []need, l limits) []*turns {
	needs = slices.Clone(needs)
	slices.SortFunc(needs, func(a, b need) int { return older(a.service, b.service) })
	byNamespace := map[string]*turns{}
	var queues []*turns
	for _, c := range needs {
		units := unitsOf(c, l)
		q := byNamespace[c.service.Namespace]
		if q == nil && len(units) > 0 {
			q = &turns{}
			byNamespace[c.service.Namespace] = q
			queues = append(queues, q)
		}
		if q != nil {
			q.units = append(q.units, units...)
		}
	}
	for _, q := range queues {
		slices.SortStableFunc(q.units, func(a, b unit) int { return cmp.Compare(a.rank, b.rank) })
	}
	return queues
}

// unitsOf divides what a Service needs.
func unitsOf(c need, l limits) []unit {
	var checks, others []cloud.Opening
	for _, o := range merge(c.openings) {
		if len(o.Balancers) > 0 {
			checks = append(checks, o)
		} else {
			others = append(others, o)
		}
	}
	var units []unit
	rank := 0
	for len(checks)+len(others) > 0 {
		n := min(1, len(others))
		openings := slices.Concat(checks, others[:n])
		rank += l.of(openings...)
		units = append(units, unit{c.service, openings, rank})
		checks, others = nil, others[n:]
	}
	return units
}

// older orders Services by age. Nobody can choose the time of creation.
func older(a, b *corev1.Service) int {
	return cmp.Or(
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID),
	)
}
