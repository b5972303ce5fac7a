package packetfilter

import (
	"cmp"
	"maps"
	"slices"
)

// Rules are those of one group.
type Rules map[Rule]Attributes

// Attributes are what a cloud keeps beside a rule, and does not tell it from others by.
type Attributes struct{ ID, Description string }

// Add adds a rule unless it is there.
func (rs Rules) Add(r Rule, description string) {
	if _, has := rs[r]; !has {
		rs[r] = Attributes{Description: description}
	}
}

// AddObserved adds a rule as a cloud has it, which may have several that let the same through.
func (rs Rules) AddObserved(r Rule, id string) {
	for _, has := rs[r]; has; _, has = rs[r] {
		r.Copy++
	}
	rs[r] = Attributes{ID: id}
}

// Sorted returns the rules by direction, protocol, ports and peer.
func (rs Rules) Sorted() []Rule {
	direction := func(r Rule) int {
		if r.Egress {
			return 1
		}
		return 0
	}
	return slices.SortedFunc(maps.Keys(rs), func(a, b Rule) int {
		return cmp.Or(
			cmp.Compare(direction(a), direction(b)), a.Compare(b.PortRange), cmp.Compare(a.Peer.String(), b.Peer.String()),
			cmp.Compare(a.Family, b.Family), cmp.Compare(a.Copy, b.Copy),
		)
	})
}

// Without returns the rules that other does not have.
func (rs Rules) Without(other Rules) Rules {
	left := maps.Clone(rs)
	maps.DeleteFunc(left, func(r Rule, _ Attributes) bool { _, has := other[r]; return has })
	return left
}

// Peers are those that any of the rules lets in, sorted.
func (rs Rules) Peers() []string {
	var list []string
	for r := range rs {
		list = append(list, r.Peer.String())
	}
	slices.Sort(list)
	return slices.Compact(list)
}
