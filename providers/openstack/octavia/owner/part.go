package owner

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// Tenancy says what of a balancer is a Service's, by its name, its description and its tags, as far as its parts were read.
type Tenancy struct {
	rules *desired.Rules
	lb    *object.Balancer
	input cloud.Input
	// Tags is what the balancer's tags say.
	Tags tag.Owners
	// Tenant says that the balancer was made for another Service or by the user: then we
	// manage our own listeners on it and nothing else.
	//
	//	made for              tags                        tenant
	//	this Service          –                           no
	//	–                     of other Services           yes
	//	another Service       this Service's alone        no, if all listeners are its: it is the last one
	//	nobody                this Service's alone        yes
	//	–                     none, and it is to adopt    no
	//	–                     none                        yes
	Tenant bool
	// MadeFor says that the balancer alone tells that it was made for this Service, and that nobody else uses it.
	MadeFor bool
	// MayDelete says that the balancer was made for a Service, and nobody else uses it: one
	// that was made for another Service must have no listener that is not ours.
	MayDelete bool
	// Named are the listeners that say that they are the Service's.
	Named []object.Listener
	// Ours are the listeners that were made for the Service, and Taken the keys of the others, sorted:
	//
	//	tags or name                               on a balancer of  ours
	//	the Service's name, in any cluster         –                 yes
	//	no tag, or the name the balancer has       its own           yes
	//	any other                                  –                 no
	//
	// The listener's own name counts where no tag names a Service: a user can have put another tag in the
	// place of ours.
	Ours  []object.Listener
	Taken []string
	// Unused are the Service's pools that nothing leads to: on the way in, or out. Sorted by id.
	Unused []object.Pool
}

// Read reads what a balancer says about a Service.
func Read(rules *desired.Rules, s *object.Snapshot, in cloud.Input) Tenancy {
	c := Tenancy{rules: rules, lb: &s.LB, input: in, Tags: rules.OwnershipTags.ReadOwners(s.LB.Tags, in.Owner)}
	own, made := c.Tags.IsMadeFor(s.LB.Name, s.LB.Description), tag.IsMade(s.LB.Name, s.LB.Description, in.Owner)
	ours := make([]bool, len(s.Listeners)) // by what they say, unless the Service is a tenant
	for i, l := range s.Listeners {
		if c.Tags.HasListener(l.Name, l.Tags) {
			c.Named = append(c.Named, l)
		}
		ours[i] = !c.Tags.HasOther(l.Tags, s.LB.Name)
	}
	for _, p := range s.Pools {
		if len(p.Listeners) == 0 && c.Tags.HasPool(p.Name) {
			c.Unused = append(c.Unused, p)
		}
	}
	slices.SortFunc(c.Unused, func(a, b object.Pool) int { return strings.Compare(a.ID, b.ID) })
	// On a balancer that was made for another Service only that proves that the other one has left: its tag may be missing.
	alone := len(c.Named) == len(s.Listeners)
	unused := made && c.Tags.Users == 0
	c.MadeFor, c.MayDelete = own && unused, unused && (own || alone)
	c.Tenant = c.isTenant(own, made && alone)
	for i, l := range s.Listeners {
		if c.Tags.HasListener(l.Name, l.Tags) || !c.Tenant && ours[i] {
			c.Ours = append(c.Ours, l)
		} else {
			c.Taken = append(c.Taken, l.Key())
		}
	}
	slices.Sort(c.Taken)
	return c
}

// HasNothing reports whether nothing on a balancer that stays is the Service's any more.
func (c Tenancy) HasNothing() bool {
	return !c.Tags.Ours && !c.Tags.Upstream && !c.MayDelete && len(c.Named) == 0 && len(c.Unused) == 0
}

// Pools are those that concern the Service, by their ids: of its listeners, and its own that nothing leads to. Sorted by id.
func (c Tenancy) Pools(all map[string]object.Pool) []object.Pool {
	list := slices.Clone(c.Unused)
	for _, l := range c.Ours {
		if p, exists := all[l.Pool]; exists {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b object.Pool) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(list, func(a, b object.Pool) bool { return a.ID == b.ID })
}
