package resource

import (
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/secgroup"
)

// ofDeletion is what goes, and what stays in its place:
//
//	the balancer                        what goes
//	is gone                             what is left of floating IP and security group
//	has other Services, or the user's   the Service's listeners and its tags
//	has none                            floating IP, security group, the balancer as a whole
//
// What the Service has once, whatever its balancers, stays for another one of its own: the security
// group and the floating IP that is attached nowhere.
func (c *Composite) ofDeletion(s *object.Snapshot, change cloud.Change) (r cloud.Resources) {
	spec := change.Spec
	if s.Guard.Group != nil {
		r.Present = append(r.Present, secgroup.Resource(s.Guard.Group.ID, spec.Ref.Owner))
	}
	if s.Free != nil && !change.Replaced && spec.Beside == nil {
		r = c.Floating.Release(r, s.Free, spec)
	}
	if !change.Before.Found {
		return r
	}
	present := c.presentBalancer(s, spec)
	r.Present = append(r.Present, present)
	switch {
	case !c.Owners.MayDelete(s, spec):
		stays := present
		stays.Fields = map[string]any{"tags": c.tagsWith(s.LB.Tags, nil, spec.Ref.Owner)}
		r.Wanted = append(r.Wanted, stays)
		r.Present = append(r.Present, c.presentListeners(s, c.Owners.Tagged(s, spec), change)...)
		return r
	case change.Replaced:
		r = c.Floating.Park(r, s.Floating, spec)
	default:
		r = c.Floating.Release(r, s.Floating, spec)
	}
	if !c.Rules.Config.CascadeDelete {
		r.Present = append(r.Present, everything(s)...)
	}
	return r
}

// everything is all that a balancer has, which has to be empty before it is deleted. A pool that no
// listener leads to goes when there is no listener left: a policy of one can lead to it.
func everything(s *object.Snapshot) (list []cloud.Resource) {
	for _, l := range s.Listeners {
		list = append(list, cloud.Resource{Kind: kindListener, Key: l.Key(), ID: l.ID})
	}
	for _, id := range slices.Sorted(maps.Keys(s.Pools)) {
		if len(s.Pools[id].Listeners) > 0 || len(s.Listeners) == 0 {
			list = append(list, cloud.Resource{Kind: kindPool, Key: id, ID: id})
		}
	}
	return list
}
