package firewall

import (
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
func merge(openings []cloud.Opening) []cloud.Opening {
	byProtocol := map[cloud.Protocol][]cloud.Opening{}
	for _, o := range openings {
		byProtocol[o.Protocol] = append(byProtocol[o.Protocol], o)
	}
	var merged []cloud.Opening
	for _, protocol := range slices.Sorted(maps.Keys(byProtocol)) {
		merged = append(merged, mergePorts(byProtocol[protocol])...)
	}
	return merged
}

// mergePorts merges the openings of one protocol: it cuts at every port where a source may
// come or go, collects who is let in between two cuts, and joins neighbours that are equal.
func mergePorts(openings []cloud.Opening) []cloud.Opening {
	var cuts []int
	for _, o := range openings {
		cuts = append(cuts, o.From, o.To+1)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var merged []cloud.Opening
	for i := range len(cuts) - 1 {
		piece, open := between(openings, cuts[i], cuts[i+1]-1)
		if !open {
			continue
		}
		if last := len(merged) - 1; last >= 0 && merged[last].To+1 == piece.From && sameSources(merged[last], piece) {
			merged[last].To = piece.To
			continue
		}
		merged = append(merged, piece)
	}
	return merged
}

// between returns the opening of ports from to to, none of which is cut.
func between(openings []cloud.Opening, from, to int) (piece cloud.Opening, open bool) {
	piece = cloud.Opening{From: from, To: to}
	for _, o := range openings {
		if o.From <= from && to <= o.To {
			open = true
			piece.Protocol = o.Protocol
			piece.Sources = append(piece.Sources, o.Sources...)
			piece.Balancers = append(piece.Balancers, o.Balancers...)
		}
	}
	piece.Sources = widest(piece.Sources)
	slices.Sort(piece.Balancers)
	piece.Balancers = slices.Compact(piece.Balancers)
	if slices.Equal(piece.Sources, everywhere()) {
		piece.Balancers = nil // are a part of everywhere
	}
	return piece, open
}

func sameSources(a, b cloud.Opening) bool {
	return slices.Equal(a.Sources, b.Sources) && slices.Equal(a.Balancers, b.Balancers)
}
