package openstack

import (
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// claims is what the tags of a balancer say about the Services on it.
type claims struct {
	// ours says that one is the Service's own mark, and upstream that one is the name upstream
	// would give its balancer, in this cluster or in one of another name: then it is in former.
	ours, upstream bool
	former         []string
	// others are the owners of our marks for other Services.
	others []cloud.Owner
	// names are the names upstream gives the balancers of the other Services, and users is how
	// many those are.
	names map[string]bool
	users int
}

func (d *Driver) readClaims(tags []string, o cloud.Owner) claims {
	c := claims{names: map[string]bool{}}
	var mine []string
	for _, tag := range tags {
		owner, ok := readMark(tag)
		switch {
		case ok && owner.UID == o.UID:
			c.ours = true
		case ok:
			c.others = append(c.others, owner)
			c.names[d.name(owner)] = true
		case d.isNameOf(tag, o):
			mine = append(mine, tag)
		case strings.HasPrefix(tag, namePrefix):
			c.names[tag] = true
		}
	}
	for _, tag := range mine {
		switch {
		case c.namesake(o): // these are its names, in another cluster
			c.names[tag] = true
		case tag == d.name(o):
			c.upstream = true
		default:
			c.upstream, c.former = true, append(c.former, tag)
		}
	}
	c.users = len(c.names)
	return c
}

// namesake reports whether a Service of the same name, of another cluster, is on the balancer.
func (c claims) namesake(o cloud.Owner) bool {
	return slices.ContainsFunc(c.others, func(other cloud.Owner) bool { return other.String() == o.String() })
}

// isNameOf reports whether a name is what upstream calls the Service's balancer, in a cluster of
// whatever name: those change. No part of a Service's name can hold a "_".
func (d *Driver) isNameOf(name string, o cloud.Owner) bool {
	return name == d.name(o) || strings.HasPrefix(name, namePrefix) && strings.HasSuffix(name, "_"+o.Namespace+"_"+o.Name)
}

// owner says whose a balancer is, for the kernel's judgement, and whether the Service may share it.
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
func (d *Driver) owner(lb *balancer, spec cloud.Spec) (owner cloud.Owner, shared bool) {
	o := spec.Ref.Owner
	c := d.readClaims(lb.Tags, o)
	byID := spec.Ref.ID != "" && spec.Ref.ID == lb.ID
	tenant := d.isTenant(&snapshot{lb: *lb}, spec)
	room := byID && d.hasRoom(lb, c, spec)
	made, isMade := d.madeFor(lb, o, byID)
	switch {
	case c.ours, lb.Name == legacyName(o.UID):
		return o, false
	case c.upstream && !c.namesake(o):
		return d.ofUpstream(c.named(d, o), o, byID), byID && tenant
	case c.users > 0:
		return shareWith(d.others(c, o), o, room)
	case isMade && room && d.translated(made, o).Cluster == o.Cluster && !d.isNameOf(lb.Name, o):
		return cloud.Owner{}, true
	case isMade:
		return d.ofUpstream(made, o, byID), false
	}
	return cloud.Owner{}, room && tenant
}

// hasRoom reports whether one more Service that names the balancer by its id may share it. One that
// takes it over does not.
func (d *Driver) hasRoom(lb *balancer, c claims, spec cloud.Spec) bool {
	return !spec.Deleting && c.users < d.config.Balancer.MaxShared && annotation.Adopt.In(spec.Options) != lb.ID
}

// madeFor returns the Service in the name of the balancer, as upstream names them. Where Octavia has
// tags, one without any was let go by whoever made it.
func (d *Driver) madeFor(lb *balancer, o cloud.Owner, byID bool) (made cloud.Owner, isMade bool) {
	made, isMade = readName(lb.Name)
	letGo := d.can(ableTags) && byID && len(lb.Tags) == 0 && !d.isNameOf(lb.Name, o)
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

// others are the owners of the marks for other Services, ours before upstream's.
func (d *Driver) others(c claims, o cloud.Owner) []cloud.Owner {
	var list []cloud.Owner
	for _, other := range c.others {
		if other.Cluster == hashed(o.Cluster) {
			other.Cluster = o.Cluster
		}
		list = append(list, other)
	}
	for _, name := range slices.Sorted(maps.Keys(c.names)) {
		if slices.ContainsFunc(c.others, func(other cloud.Owner) bool { return d.name(other) == name }) {
			continue
		}
		other, ok := readName(name)
		if !ok {
			other = cloud.Owner{Cluster: name}
		}
		list = append(list, d.translated(other, o))
	}
	return list
}

// ofUpstream is the owner that upstream's mark names. Only together with the id it says that it is
// this very cluster.
func (d *Driver) ofUpstream(named, o cloud.Owner, byID bool) cloud.Owner {
	if byID {
		return d.translated(named, o)
	}
	return named
}

// translated puts the id of our cluster in the place of its name.
func (d *Driver) translated(named, o cloud.Owner) cloud.Owner {
	if named.Cluster == d.clusterName {
		named.Cluster = o.Cluster
	}
	return named
}

// named is the owner that upstream's mark of the Service names.
func (c claims) named(d *Driver, o cloud.Owner) cloud.Owner {
	if len(c.former) > 0 {
		if former, ok := readName(c.former[0]); ok {
			return former
		}
	}
	return cloud.Owner{Cluster: d.clusterName, Namespace: o.Namespace, Name: o.Name}
}

// isMade reports whether a balancer was made for some Service. Upstream marks those by their
// names; one that was renamed still has its description.
func isMade(lb *balancer, o cloud.Owner) bool {
	return strings.HasPrefix(lb.Name, namePrefix) || lb.Name == legacyName(o.UID) || strings.HasPrefix(lb.Description, descriptionPrefix)
}

// isMadeFor reports whether a balancer was made for this Service. Where only the cluster's name
// differs, a tag has to say that it is the same Service.
func (d *Driver) isMadeFor(lb *balancer, o cloud.Owner) bool {
	if lb.Name == d.name(o) || lb.Name == legacyName(o.UID) || lb.Description == d.description(o) {
		return true
	}
	c := d.readClaims(lb.Tags, o)
	former := d.isNameOf(lb.Name, o) || strings.HasPrefix(lb.Description, descriptionPrefix+o.String()+" from cluster ")
	return former && (c.ours || c.upstream)
}

// isTenant reports whether the balancer was made for another Service or by the user: then we
// manage our own listeners on it and nothing else.
//
//	made for              marks                       tenant
//	this Service          –                           no
//	–                     of other Services           yes
//	another Service       this Service's alone        no, if all listeners are its: it is the last one
//	nobody                this Service's alone        yes
//	–                     none, and it is to adopt    no
//	–                     none                        yes
func (d *Driver) isTenant(s *snapshot, spec cloud.Spec) bool {
	o := spec.Ref.Owner
	c := d.readClaims(s.lb.Tags, o)
	adopts := annotation.Adopt.In(spec.Options) == s.lb.ID
	switch {
	case d.isMadeFor(&s.lb, o):
		return false
	case c.users > 0:
		return true
	case c.ours && !adopts:
		return !isMade(&s.lb, o) || !d.isAlone(s, spec)
	}
	return !adopts
}

// isAlone reports whether all listeners say that they are the Service's. On a balancer that was
// made for another Service only that proves that the other one has left: its tag may be missing.
func (d *Driver) isAlone(s *snapshot, spec cloud.Spec) bool {
	return len(d.tagged(s, spec)) == len(s.listeners)
}

// isOurs reports whether a listener was made for the Service:
//
//	tags or name                               on a balancer of  ours
//	the Service's name, in any cluster         –                 yes
//	no tag, or the name the balancer has       its own           yes
//	any other                                  –                 no
//
// The listener's own name counts where no tag names a Service: a user can have put another tag in the
// place of ours.
func (d *Driver) isOurs(s *snapshot, l listener, spec cloud.Spec) bool {
	c := d.readClaims(s.lb.Tags, spec.Ref.Owner)
	if d.isNamed(l, c, spec.Ref.Owner) {
		return true
	}
	foreign := slices.ContainsFunc(l.Tags, func(tag string) bool { return tag != "" && (tag != s.lb.Name || c.names[tag]) })
	return !foreign && !d.isTenant(s, spec)
}

// isNamed reports whether a listener says by a tag, or by its name where no tag names a Service, that
// it is the Service's.
func (d *Driver) isNamed(l listener, c claims, o cloud.Owner) bool {
	named := func(name string) bool { return d.isNameOf(name, o) && !c.names[name] }
	if slices.ContainsFunc(l.Tags, named) {
		return true
	}
	if slices.ContainsFunc(l.Tags, func(tag string) bool { return strings.HasPrefix(tag, namePrefix) }) {
		return false
	}
	_, balancer, ok := splitChild("listener", l.Name)
	return ok && named(balancer)
}

// hasNothing reports whether nothing on a balancer that stays is the Service's any more.
func (d *Driver) hasNothing(s *snapshot, spec cloud.Spec) bool {
	c := d.readClaims(s.lb.Tags, spec.Ref.Owner)
	if c.ours || c.upstream || d.mayDelete(s, spec) {
		return false
	}
	return len(d.tagged(s, spec)) == 0 && len(d.unusedPools(s, spec.Ref.Owner)) == 0
}

// tagged are the listeners that say that they are the Service's.
func (d *Driver) tagged(s *snapshot, spec cloud.Spec) []listener {
	c := d.readClaims(s.lb.Tags, spec.Ref.Owner)
	return slices.DeleteFunc(slices.Clone(s.listeners), func(l listener) bool { return !d.isNamed(l, c, spec.Ref.Owner) })
}

// mayDelete reports whether the balancer was made for a Service, and nobody else uses it: one
// that was made for another Service must have no listener that is not ours.
func (d *Driver) mayDelete(s *snapshot, spec cloud.Spec) bool {
	o := spec.Ref.Owner
	if !isMade(&s.lb, o) || d.readClaims(s.lb.Tags, o).users > 0 {
		return false
	}
	return d.isMadeFor(&s.lb, o) || d.isAlone(s, spec)
}
