// Package owner tells whose a load balancer, a listener or a pool is.
package owner

import (
	"cmp"
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// Owner says whose a balancer is, for the kernel's judgement, and whether the Service may share it.
// Our ownership tags count before upstream's, which are its names in tags and, without those, the balancer's
// own name:
//
//	tags                               named by id  owner                                    shared
//	this Service's, of this cluster    –            this Service, of the id in the tag      no
//	upstream's of this Service         yes          this Service, by name                    as a tenant
//	upstream's of this Service         no           what the tag says, literally            no
//	other Services', of this cluster   yes          nobody, while there is room              yes
//	any others                         –            the first of them                        no
//	none                               –            nobody                                   as a tenant
//
// Where Octavia has tags, a name without any is that of a balancer that was kept when its Service went.
//
// The third row is there because many clusters are called "kubernetes": that name is no proof.
func (c Tenancy) Owner() (owner cloud.Owner, shared bool) {
	lb, o := c.lb, c.input.Owner
	byID := c.input.ID != "" && c.input.ID == lb.ID
	room := byID && c.hasRoom()
	named := c.rules.OwnershipTags.IsNameOf(lb.Name, o)
	made, isMade := c.madeFor(byID && !named)
	switch {
	case c.isOurs():
		o.Cluster, o.Former = cmp.Or(c.Tags.Own.Cluster, o.Cluster), ""
		return o, false
	case c.Tags.Upstream && !c.Tags.Namesake:
		return c.ofUpstream(c.Tags.Named(), byID), byID && c.Tenant
	case c.Tags.Users > 0:
		return shareWith(c.others(), o, room)
	case isMade && room && !named && ownership.Of(c.translated(made), o) == ownership.AnotherService:
		return cloud.Owner{}, true
	case isMade:
		return c.ofUpstream(made, byID), false
	}
	return cloud.Owner{}, room && c.Tenant
}

// isOurs reports whether the ownership tags, or the UID in the name, are the Service's.
func (c Tenancy) isOurs() bool {
	return c.Tags.Ours || ownership.IsInName(c.lb.Name, c.input.Owner) && !c.Tags.Twin
}

// madeFor returns the Service in the name of the balancer, as upstream names them. Where Octavia has tags, one of another Service
// that is named by its id and has no tags was let go by whoever made it.
func (c Tenancy) madeFor(another bool) (made cloud.Owner, isMade bool) {
	made, isMade = tag.ReadName(c.lb.Name)
	letGo := another && c.rules.Can(desired.AbleTags) && len(c.lb.Tags) == 0
	return made, isMade && !letGo
}

// hasRoom reports whether one more Service that names the balancer by its id may share it. One that
// takes it over does not.
func (c Tenancy) hasRoom() bool {
	return !c.input.Deleting && c.Tags.Users < c.rules.Config.MaxShared && annotation.Adopt.In(c.input.Options) != c.lb.ID
}

// shareWith returns the owner of a balancer that other Services use: nobody, while there is room and
// all of them are other Services of this cluster.
func shareWith(others []cloud.Owner, o cloud.Owner, room bool) (owner cloud.Owner, shared bool) {
	alien := func(other cloud.Owner) bool { return ownership.Of(other, o) != ownership.AnotherService }
	if room && !slices.ContainsFunc(others, alien) {
		return cloud.Owner{}, true
	}
	return others[0], false
}

// others are the owners of the ownership tags for other Services, ours before upstream's.
func (c Tenancy) others() []cloud.Owner {
	list := slices.Clone(c.Tags.Others)
	for _, name := range slices.Sorted(maps.Keys(c.Tags.Names)) {
		if slices.ContainsFunc(c.Tags.Others, func(other cloud.Owner) bool { return c.rules.OwnershipTags.Name(other) == name }) {
			continue
		}
		other, ok := tag.ReadName(name)
		if !ok {
			other = cloud.Owner{Cluster: name}
		}
		list = append(list, c.translated(other))
	}
	return list
}

// ofUpstream is the owner that upstream's ownership tag names. Only together with the id it says that it is
// this very cluster.
func (c Tenancy) ofUpstream(named cloud.Owner, byID bool) cloud.Owner {
	if byID {
		return c.translated(named)
	}
	return named
}

// translated puts the id of our cluster in the place of its name.
func (c Tenancy) translated(named cloud.Owner) cloud.Owner {
	if named.Cluster == c.rules.OwnershipTags.ClusterName {
		named.Cluster = c.input.Owner.Cluster
	}
	return named
}

// isTenant decides about Tenant: own says that the balancer was made for this Service, last that it was made for one, and that
// all listeners are this one's.
func (c Tenancy) isTenant(own, last bool) bool {
	switch adopts := annotation.Adopt.In(c.input.Options) == c.lb.ID; {
	case own:
		return false
	case c.Tags.Users > 0:
		return true
	case c.Tags.Ours && !adopts:
		return !last
	default:
		return !adopts
	}
}
