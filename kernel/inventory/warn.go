package inventory

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// compared is how many patterns each entry is compared with. A file may have 50,000.
const compared = 100

// hidden names the entries that never count, because one before them fits wherever they do, and those whose labels make one before
// them fit.
func (i *inventory) hidden() []string {
	var all []string
	var patterns []*machine
	for n := range i.machines {
		m := &i.machines[n]
		if first := slices.IndexFunc(patterns, m.within); first >= 0 {
			all = append(all, m.Entry+": it never counts, because "+patterns[first].Entry+" comes first")
		}
		if first := slices.IndexFunc(patterns, func(p *machine) bool { return p.meets(m.Labels) }); first >= 0 {
			all = append(all, m.Entry+": with its labels "+patterns[first].Entry+" fits its Nodes, and counts from then on")
		}
		if m.name == "" && len(patterns) < compared {
			patterns = append(patterns, m)
		}
	}
	return all
}

// meets reports whether labels make an entry fit that does not fit without them.
func (m *machine) meets(all map[string]string) bool {
	return m.selector != nil && m.selector.Matches(labels.Set(all)) && !m.selector.Matches(labels.Set{})
}

// within reports whether another entry fits wherever this one does, as far as that can be told.
func (m *machine) within(other *machine) bool {
	switch {
	case other.names == "*":
		return true
	case m.name != "":
		return other.names != "" && other.fits(cloud.NodeAttributes{Name: m.name})
	case m.names != "":
		return other.names == m.names
	}
	return other.selector != nil && other.selector.String() == m.selector.String()
}
