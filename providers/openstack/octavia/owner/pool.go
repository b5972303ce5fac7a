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

// Pools are those that concern the Service: of its listeners, and its own that nothing leads to. Sorted by id.
func (w *Owners) Pools(s *object.Snapshot, spec cloud.Spec) []object.Pool {
	list := w.UnusedPools(s, spec.Ref.Owner)
	for _, l := range s.Listeners {
		if p, exists := s.Pools[l.Pool]; exists && w.IsOurs(s, l, spec) {
			list = append(list, p)
		}
	}
	byID := func(a, b object.Pool) int { return strings.Compare(a.ID, b.ID) }
	slices.SortFunc(list, byID)
	return slices.CompactFunc(list, func(a, b object.Pool) bool { return a.ID == b.ID })
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
