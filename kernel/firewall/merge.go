package firewall

import (
	"cmp"
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// merge returns the one shortest form of a set of openings, sorted by protocol and port:
// disjoint ranges of ports, as long as they have the same sources. Clouds bound the number of
// rules, and two sets that let the same traffic in have the same form.
//
//	tcp 80 from A        tcp 80    from A
//	tcp 81 from A        tcp 81    from A, B
//	tcp 81-83 from B  →  tcp 82-84 from B
//	tcp 84 from B
func merge(openings []cloud.Opening) []cloud.Opening { return add(nil, openings...) }

// add merges openings into merged ones, which are in their shortest form already.
func add(merged []cloud.Opening, openings ...cloud.Opening) []cloud.Opening {
	byProtocol := map[cloud.Protocol][]cloud.Opening{}
	for _, o := range merged {
		byProtocol[o.Protocol] = append(byProtocol[o.Protocol], o)
	}
	for _, o := range openings {
		byProtocol[o.Protocol] = append(byProtocol[o.Protocol], canonical(o))
	}
	var result []cloud.Opening
	for _, protocol := range slices.Sorted(maps.Keys(byProtocol)) {
		result = append(result, mergePorts(byProtocol[protocol])...)
	}
	return result
}

// mergePorts merges the openings of one protocol: it cuts at every port where a source may
// come or go, collects who is let in between two cuts, and joins neighbours that are equal.
func mergePorts(openings []cloud.Opening) []cloud.Opening {
	slices.SortStableFunc(openings, func(a, b cloud.Opening) int { return cmp.Compare(a.From, b.From) })
	var cuts []int
	for _, o := range openings {
		cuts = append(cuts, o.From, o.To+1)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var merged, active []cloud.Opening
	next := 0
	for i := range len(cuts) - 1 {
		active = slices.DeleteFunc(active, func(o cloud.Opening) bool { return o.To < cuts[i] })
		for ; next < len(openings) && openings[next].From == cuts[i]; next++ {
			active = append(active, openings[next])
		}
		if len(active) == 0 {
			continue
		}
		piece := combine(active, cuts[i], cuts[i+1]-1)
		if last := len(merged) - 1; last >= 0 && merged[last].To+1 == piece.From && sameSources(merged[last], piece) {
			merged[last].To = piece.To
			continue
		}
		merged = append(merged, piece)
	}
	return merged
}

// combine returns the opening of ports from to to, for which all these openings are.
func combine(active []cloud.Opening, from, to int) cloud.Opening {
	piece := active[0]
	if len(active) > 1 {
		piece.Sources, piece.Balancers = slices.Clone(piece.Sources), slices.Clone(piece.Balancers)
		for _, o := range active[1:] {
			piece.Sources = append(piece.Sources, o.Sources...)
			piece.Balancers = append(piece.Balancers, o.Balancers...)
		}
		piece = canonical(piece)
	}
	piece.From, piece.To = from, to
	return piece
}

// canonical returns an opening with its sources in their shortest form.
func canonical(o cloud.Opening) cloud.Opening {
	o.Sources = widest(o.Sources)
	o.Balancers = slices.Compact(slices.Sorted(slices.Values(o.Balancers)))
	if slices.Equal(o.Sources, everywhere()) {
		o.Balancers = nil // are a part of everywhere
	}
	return o
}

func sameSources(a, b cloud.Opening) bool {
	return slices.Equal(a.Sources, b.Sources) && slices.Equal(a.Balancers, b.Balancers)
}
