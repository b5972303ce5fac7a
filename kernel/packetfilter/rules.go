package packetfilter

import (
	"cmp"
	"maps"
	"slices"
)

// Rules are those of one group.
type Rules map[Rule]Note

// Note is what a cloud keeps beside a rule, and does not tell it from others by.
type Note struct{ ID, Description string }

// Add adds a rule unless it is there.
func (rs Rules) Add(r Rule, description string) {
	if _, has := rs[r]; !has {
		rs[r] = Note{Description: description}
	}
}

// AddObserved adds a rule as a cloud has it, which may have several that let the same through.
func (rs Rules) AddObserved(r Rule, id string) {
	for _, has := rs[r]; has; _, has = rs[r] {
		r.Copy++
	}
	rs[r] = Note{ID: id}
}

// Sorted returns the rules by direction, protocol, ports and peer.
func (rs Rules) Sorted() []Rule {
	return slices.SortedFunc(maps.Keys(rs), func(a, b Rule) int {
		if a.Egress != b.Egress {
			return map[bool]int{true: 1, false: -1}[a.Egress]
		}
		return cmp.Or(a.Compare(b.PortRange), cmp.Compare(a.Peer.String(), b.Peer.String()), cmp.Compare(a.Family, b.Family), cmp.Compare(a.Copy, b.Copy))
	})
}

// Without returns the rules that other does not have.
func (rs Rules) Without(other Rules) Rules {
	left := maps.Clone(rs)
	maps.DeleteFunc(left, func(r Rule, _ Note) bool { _, has := other[r]; return has })
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
