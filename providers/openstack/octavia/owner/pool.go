package owner

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// IsOurPool reports whether the name of a pool says that it is the Service's.
func (w *Owners) IsOurPool(p object.Pool, o cloud.Owner) bool {
	return w.Rules.Marks.IsChild("pool", p.Name, o) || w.Rules.Marks.Renamed("pool", p.Name, o) != ""
}

// UnusedPools are the Service's pools that nothing leads to: on the way in, or out. Sorted by id.
func (w *Owners) UnusedPools(s *object.Snapshot, o cloud.Owner) []object.Pool {
	var list []object.Pool
	for _, p := range s.Pools {
		if len(p.Listeners) == 0 && w.IsOurPool(p, o) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b object.Pool) int { return strings.Compare(a.ID, b.ID) })
	return list
}
