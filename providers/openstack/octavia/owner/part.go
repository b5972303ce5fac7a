package owner

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
)

// Claim tells what of a balancer is a Service's, by its name, its description and its tags.
type Claim struct {
	rules *desired.Rules
	s     *object.Snapshot
	spec  cloud.Spec
	o     cloud.Owner
	tags  mark.Claims
	// own says that the balancer was made for this Service, made that it was made for some Service.
	own, made bool
}

// Read reads what a balancer says about a Service. The parts of the balancer may follow later.
func Read(rules *desired.Rules, s *object.Snapshot, spec cloud.Spec) Claim {
	o, lb := spec.Ref.Owner, &s.LB
	tags := rules.Marks.ReadClaims(lb.Tags, o)
	return Claim{
		rules: rules, s: s, spec: spec, o: o, tags: tags,
		own: rules.Marks.IsMadeFor(lb.Name, lb.Description, tags, o), made: mark.IsMade(lb.Name, lb.Description, o),
	}
}

// IsMarked reports whether the balancer has the Service's own mark.
func (c Claim) IsMarked() bool { return c.tags.Ours }

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
func (c Claim) IsTenant() bool {
	adopts := annotation.Adopt.In(c.spec.Options) == c.s.LB.ID
	switch {
	case c.own:
		return false
	case c.tags.Users > 0:
		return true
	case c.tags.Ours && !adopts:
		return !c.made || !c.isAlone()
	}
	return !adopts
}

// isAlone reports whether all listeners say that they are the Service's. On a balancer that was
// made for another Service only that proves that the other one has left: its tag may be missing.
func (c Claim) isAlone() bool { return len(c.Tagged()) == len(c.s.Listeners) }

// IsMadeFor reports whether the balancer alone says that it was made for this Service, and that nobody else uses it.
func (c Claim) IsMadeFor() bool { return c.own && c.isUnused() }

// isUnused reports whether a balancer was made for a Service, and no other one uses it.
func (c Claim) isUnused() bool { return c.made && c.tags.Users == 0 }

// MayDelete reports whether the balancer was made for a Service, and nobody else uses it: one
// that was made for another Service must have no listener that is not ours.
func (c Claim) MayDelete() bool { return c.isUnused() && (c.own || c.isAlone()) }

// HasNothing reports whether nothing on a balancer that stays is the Service's any more.
func (c Claim) HasNothing() bool {
	return !c.tags.Ours && !c.tags.Upstream && !c.MayDelete() && len(c.Tagged()) == 0 && len(c.UnusedPools()) == 0
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
func (c Claim) IsOurs(l object.Listener) bool {
	if c.isNamed(l) {
		return true
	}
	foreign := slices.ContainsFunc(l.Tags, func(tag string) bool { return tag != "" && (tag != c.s.LB.Name || c.tags.Names[tag]) })
	return !foreign && !c.IsTenant()
}

// Tagged are the listeners that say that they are the Service's.
func (c Claim) Tagged() []object.Listener {
	return slices.DeleteFunc(slices.Clone(c.s.Listeners), func(l object.Listener) bool { return !c.isNamed(l) })
}

// isNamed reports whether a listener says by a tag, or by its name where no tag names a Service, that
// it is the Service's.
func (c Claim) isNamed(l object.Listener) bool {
	named := func(name string) bool { return c.rules.Marks.IsNameOf(name, c.o) && !c.tags.Names[name] }
	if slices.ContainsFunc(l.Tags, named) {
		return true
	}
	if slices.ContainsFunc(l.Tags, func(tag string) bool { return strings.HasPrefix(tag, mark.NamePrefix) }) {
		return false
	}
	_, balancer, ok := mark.SplitChild("listener", l.Name)
	return ok && named(balancer)
}

// Pools are those that concern the Service: of its listeners, and its own that nothing leads to. Sorted by id.
func (c Claim) Pools() []object.Pool {
	list := c.UnusedPools()
	for _, l := range c.s.Listeners {
		if p, exists := c.s.Pools[l.Pool]; exists && c.IsOurs(l) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, byID)
	return slices.CompactFunc(list, func(a, b object.Pool) bool { return a.ID == b.ID })
}

// UnusedPools are the Service's pools that nothing leads to: on the way in, or out. Sorted by id.
func (c Claim) UnusedPools() []object.Pool {
	var list []object.Pool
	for _, p := range c.s.Pools {
		if len(p.Listeners) == 0 && c.IsOurPool(p) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, byID)
	return list
}

// IsOurPool reports whether the name of a pool says that it is the Service's.
func (c Claim) IsOurPool(p object.Pool) bool {
	_, balancer, ok := mark.SplitChild("pool", p.Name)
	return ok && c.rules.Marks.IsNameOf(balancer, c.o) || c.rules.Marks.IsChild("pool", p.Name, c.o)
}

func byID(a, b object.Pool) int { return strings.Compare(a.ID, b.ID) }
