// Package owner tells whose a load balancer, a listener or a pool is.
package owner

import (
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// Owners tell whose a load balancer and its parts are.
type Owners struct{ Rules *desired.Rules }

// Of says whose a balancer is, for the kernel's judgement, and whether the Service may share it.
// Our marks count before upstream's, which are its names in tags and, without those, the balancer's
// own name:
//
//	marks                              named by id  owner                                    shared
//	this Service's                     –            this Service                             no
//	upstream's of this Service         yes          this Service, by name                    as a tenant
//	upstream's of this Service         no           what the mark says, literally            no
//	other Services', of this cluster   yes          nobody, while there is room              yes
//	any others                         –            the first of them                        no
//	none                               –            nobody                                   as a tenant
//
// Where Octavia has tags, a name without any is that of a balancer that was kept when its Service went.
//
// The third row is there because many clusters are called "kubernetes": that name is no proof.
func (w *Owners) Of(lb *object.Balancer, spec cloud.Spec) (owner cloud.Owner, shared bool) {
	o := spec.Ref.Owner
	c := w.Rules.Marks.ReadClaims(lb.Tags, o)
	byID := spec.Ref.ID != "" && spec.Ref.ID == lb.ID
	tenant := w.IsTenant(&object.Snapshot{LB: *lb}, spec)
	room := byID && w.hasRoom(lb, c, spec)
	made, isMade := w.madeFor(lb, o, byID)
	switch {
	case c.Ours, lb.Name == cloud.UIDName(o.UID):
		return o, false
	case c.Upstream && !c.Namesake(o):
		return w.ofUpstream(c.Named(w.Rules.Marks, o), o, byID), byID && tenant
	case c.Users > 0:
		return shareWith(w.others(c, o), o, room)
	case isMade && room && w.translated(made, o).Cluster == o.Cluster && !w.Rules.Marks.IsNameOf(lb.Name, o):
		return cloud.Owner{}, true
	case isMade:
		return w.ofUpstream(made, o, byID), false
	}
	return cloud.Owner{}, room && tenant
}

// hasRoom reports whether one more Service that names the balancer by its id may share it. One that
// takes it over does not.
func (w *Owners) hasRoom(lb *object.Balancer, c mark.Claims, spec cloud.Spec) bool {
	return !spec.Deleting && c.Users < w.Rules.Config.MaxShared && annotation.Adopt.In(spec.Options) != lb.ID
}

// madeFor returns the Service in the name of the balancer, as upstream names them. Where Octavia has
// tags, one without any was let go by whoever made it.
func (w *Owners) madeFor(lb *object.Balancer, o cloud.Owner, byID bool) (made cloud.Owner, isMade bool) {
	made, isMade = mark.ReadName(lb.Name)
	letGo := w.Rules.Can(desired.AbleTags) && byID && len(lb.Tags) == 0 && !w.Rules.Marks.IsNameOf(lb.Name, o)
	return made, isMade && !letGo
}

// shareWith returns the owner of a balancer that other Services use: nobody, while there is room and
// all of them are other Services of this cluster.
func shareWith(others []cloud.Owner, o cloud.Owner, room bool) (owner cloud.Owner, shared bool) {
	alien := func(other cloud.Owner) bool { return other.Cluster != o.Cluster || other.String() == o.String() }
	if room && !slices.ContainsFunc(others, alien) {
		return cloud.Owner{}, true
	}
	return others[0], false
}

// IsTenant reports whether the balancer was made for another Service or by the user: then we
// manage our own listeners on it and nothing else.
//
//	made for              marks                       tenant
//	this Service          –                           no
//	–                     of other Services           yes
//	another Service       this Service's alone        no, if all listeners are its: it is the last one
//	nobody                this Service's alone        yes
//	–                     none, and it is to adopt    no
//	–                     none                        yes
func (w *Owners) IsTenant(s *object.Snapshot, spec cloud.Spec) bool {
	o := spec.Ref.Owner
	c := w.Rules.Marks.ReadClaims(s.LB.Tags, o)
	adopts := annotation.Adopt.In(spec.Options) == s.LB.ID
	switch {
	case w.Rules.Marks.IsMadeFor(s.LB.Name, s.LB.Description, s.LB.Tags, o):
		return false
	case c.Users > 0:
		return true
	case c.Ours && !adopts:
		return !mark.IsMade(s.LB.Name, s.LB.Description, o) || !w.isAlone(s, spec)
	}
	return !adopts
}

// isAlone reports whether all listeners say that they are the Service's. On a balancer that was
// made for another Service only that proves that the other one has left: its tag may be missing.
func (w *Owners) isAlone(s *object.Snapshot, spec cloud.Spec) bool {
	return len(w.Tagged(s, spec)) == len(s.Listeners)
}

// IsOurs reports whether a listener was made for the Service:
//
//	tags or name                               on a balancer of  ours
//	the Service's name, in any cluster         –                 yes
//	no tag, or the name the balancer has       its own           yes
//	any other                                  –                 no
//
// The listener's own name counts where no tag names a Service: a user can have put another tag in the
// place of ours.
func (w *Owners) IsOurs(s *object.Snapshot, l object.Listener, spec cloud.Spec) bool {
	c := w.Rules.Marks.ReadClaims(s.LB.Tags, spec.Ref.Owner)
	if w.isNamed(l, c, spec.Ref.Owner) {
		return true
	}
	foreign := slices.ContainsFunc(l.Tags, func(tag string) bool { return tag != "" && (tag != s.LB.Name || c.Names[tag]) })
	return !foreign && !w.IsTenant(s, spec)
}

// isNamed reports whether a listener says by a tag, or by its name where no tag names a Service, that
// it is the Service's.
func (w *Owners) isNamed(l object.Listener, c mark.Claims, o cloud.Owner) bool {
	named := func(name string) bool { return w.Rules.Marks.IsNameOf(name, o) && !c.Names[name] }
	if slices.ContainsFunc(l.Tags, named) {
		return true
	}
	if slices.ContainsFunc(l.Tags, func(tag string) bool { return strings.HasPrefix(tag, mark.NamePrefix) }) {
		return false
	}
	_, balancer, ok := mark.SplitChild("listener", l.Name)
	return ok && named(balancer)
}

// HasNothing reports whether nothing on a balancer that stays is the Service's any more.
func (w *Owners) HasNothing(s *object.Snapshot, spec cloud.Spec) bool {
	c := w.Rules.Marks.ReadClaims(s.LB.Tags, spec.Ref.Owner)
	if c.Ours || c.Upstream || w.MayDelete(s, spec) {
		return false
	}
	return len(w.Tagged(s, spec)) == 0 && len(w.UnusedPools(s, spec.Ref.Owner)) == 0
}

// Tagged are the listeners that say that they are the Service's.
func (w *Owners) Tagged(s *object.Snapshot, spec cloud.Spec) []object.Listener {
	c := w.Rules.Marks.ReadClaims(s.LB.Tags, spec.Ref.Owner)
	return slices.DeleteFunc(slices.Clone(s.Listeners), func(l object.Listener) bool { return !w.isNamed(l, c, spec.Ref.Owner) })
}

// MayDelete reports whether the balancer was made for a Service, and nobody else uses it: one
// that was made for another Service must have no listener that is not ours.
func (w *Owners) MayDelete(s *object.Snapshot, spec cloud.Spec) bool {
	return w.isUnused(&s.LB, spec) && (w.Rules.Marks.IsMadeFor(s.LB.Name, s.LB.Description, s.LB.Tags, spec.Ref.Owner) || w.isAlone(s, spec))
}

// IsMadeFor reports whether the balancer alone says that it was made for this Service, and that nobody else uses it.
func (w *Owners) IsMadeFor(lb *object.Balancer, spec cloud.Spec) bool {
	return w.isUnused(lb, spec) && w.Rules.Marks.IsMadeFor(lb.Name, lb.Description, lb.Tags, spec.Ref.Owner)
}

// isUnused reports whether a balancer was made for a Service, and no other one uses it.
func (w *Owners) isUnused(lb *object.Balancer, spec cloud.Spec) bool {
	return mark.IsMade(lb.Name, lb.Description, spec.Ref.Owner) && w.Rules.Marks.ReadClaims(lb.Tags, spec.Ref.Owner).Users == 0
}

// IsOurPool reports whether the name of a pool says that it is the Service's.
func (w *Owners) IsOurPool(p object.Pool, o cloud.Owner) bool {
	return w.Rules.Marks.IsChild("pool", p.Name, o) || w.Rules.Marks.NameOf("pool", p.Name, o) != p.Name
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

// others are the owners of the marks for other Services, ours before upstream's.
func (w *Owners) others(c mark.Claims, o cloud.Owner) []cloud.Owner {
	var list []cloud.Owner
	for _, other := range c.Others {
		if other.Cluster == mark.Hashed(o.Cluster) {
			other.Cluster = o.Cluster
		}
		list = append(list, other)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Names)) {
		if slices.ContainsFunc(c.Others, func(other cloud.Owner) bool { return w.Rules.Marks.Name(other) == name }) {
			continue
		}
		other, ok := mark.ReadName(name)
		if !ok {
			other = cloud.Owner{Cluster: name}
		}
		list = append(list, w.translated(other, o))
	}
	return list
}

// ofUpstream is the owner that upstream's mark names. Only together with the id it says that it is
// this very cluster.
func (w *Owners) ofUpstream(named, o cloud.Owner, byID bool) cloud.Owner {
	if byID {
		return w.translated(named, o)
	}
	return named
}

// translated puts the id of our cluster in the place of its name.
func (w *Owners) translated(named, o cloud.Owner) cloud.Owner {
	if named.Cluster == w.Rules.Marks.ClusterName {
		named.Cluster = o.Cluster
	}
	return named
}
