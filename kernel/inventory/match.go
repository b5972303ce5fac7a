package inventory

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// inventory is one version of the file.
type inventory struct {
	region, zone string
	others       bool
	machines     []machine
	warnings     []string

	// named are the positions of the entries that have a name, patterns those of the others in their order.
	named    map[string]int
	patterns []int
}

// machine is one entry. It has exactly one of name, names and selector.
type machine struct {
	name, names string
	selector    labels.Selector
	cloud.InventoryEntry
}

// index prepares the search.
func (i *inventory) index() {
	i.named = make(map[string]int, len(i.machines))
	for n, m := range i.machines {
		if m.name == "" {
			i.patterns = append(i.patterns, n)
		} else if _, twice := i.named[m.name]; !twice {
			i.named[m.name] = n
		}
	}
}

// match returns the first entry that fits a Node.
func (i *inventory) match(node cloud.NodeAttributes) (cloud.InventoryEntry, bool) {
	at, ok := i.named[node.Name]
	if !ok {
		at = len(i.machines)
	}
	for _, n := range i.patterns {
		if n > at {
			break
		}
		if i.machines[n].fits(node) {
			at = n
			break
		}
	}
	if at == len(i.machines) {
		return cloud.InventoryEntry{Region: i.region, Zone: i.zone}, i.others
	}
	return i.machines[at].InventoryEntry, true
}

func (m *machine) fits(node cloud.NodeAttributes) bool {
	switch {
	case m.name != "":
		return m.name == node.Name
	case m.names != "":
		fits, err := path.Match(m.names, node.Name)
		return err == nil && fits
	}
	return m.selector.Matches(labels.Set(node.Labels))
}

// judge says of each entry, up to the one that fits, whether it fits.
func (i *inventory) judge(node cloud.NodeAttributes) []cloud.InventoryJudgement {
	var all []cloud.InventoryJudgement
	for n := range i.machines {
		m := &i.machines[n]
		fits := m.fits(node)
		all = append(all, cloud.InventoryJudgement{Entry: m.Entry, Fits: fits, Why: m.why(node, fits)})
		if fits {
			break
		}
	}
	return all
}

func (m *machine) why(node cloud.NodeAttributes, fits bool) string {
	switch {
	case m.name != "" && fits:
		return "it is the Node's name"
	case m.name != "":
		return "the Node has another name"
	case m.names != "" && fits:
		return "the Node's name is such a name"
	case m.names != "":
		return "the Node's name is no such name"
	case fits:
		return "the Node has such labels"
	}
	return "the Node lacks " + m.lacking(node)
}

// lacking names the first requirement of a selector that a Node does not meet.
func (m *machine) lacking(node cloud.NodeAttributes) string {
	requirements, _ := m.selector.Requirements()
	for _, r := range requirements {
		if !r.Matches(labels.Set(node.Labels)) {
			return "the label " + r.String()
		}
	}
	return "such labels"
}

// nearest returns the three entries with names that the Node's resembles most. Of a selector a name says nothing.
func (i *inventory) nearest(node cloud.NodeAttributes) []string {
	const most = 3
	order := make([]int, len(i.machines))
	distance := make([]int, len(i.machines))
	for n, m := range i.machines {
		order[n] = n
		if distance[n] = annotation.Distance(node.Name, cmp.Or(m.name, m.names)); m.name == "" && m.names == "" {
			distance[n] = 1 << 10
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(distance[a], distance[b]), a-b) })
	var all []string
	for _, n := range order[:min(most, len(order))] {
		all = append(all, i.machines[n].Entry)
	}
	return all
}

// place is how an entry is named to people.
func (m *machine) place(n int) string {
	where := fmt.Sprintf("machines[%d]", n)
	switch {
	case m.name != "":
		return where + ", name " + m.name
	case m.names != "":
		return where + ", names " + m.names
	}
	return where + ", selector " + m.selector.String()
}
