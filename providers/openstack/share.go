package openstack

import (
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

// owner says whose a balancer is, for the kernel's judgement:
//
//	this Service's mark  other Services' marks  named by id, and            owner
//	yes                  –                      –                           this Service
//	no                   none                   –                           nobody: upstream's, or the user's own
//	no                   this cluster's         has the Service's name      nobody: upstream shared it
//	no                   this cluster's         has room, is not given up   nobody: to be shared
//	no                   any                    –                           the first of them
func (d *Driver) owner(lb *balancer, spec cloud.Spec) cloud.Owner {
	c := d.readClaims(lb.Tags, spec.Ref.Owner)
	switch {
	case c.ours, lb.Name == legacyName(spec.Ref.Owner.UID):
		return spec.Ref.Owner
	case len(c.others) == 0:
		return cloud.Owner{}
	}
	shares := c.upstream || !spec.Leaving && c.users < d.config.balancer.maxShared
	neighbours := c.others[0].Cluster == hashed(spec.Ref.Owner.Cluster) && !c.namesake(spec.Ref.Owner)
	if spec.Ref.ID == lb.ID && shares && neighbours {
		return cloud.Owner{}
	}
	return c.others[0]
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

// isGuest reports whether the balancer was made for another Service or by the user: then we
// manage our own listeners on it and nothing else.
//
//	made for              marks                       guest
//	this Service          –                           no
//	–                     of other Services           yes
//	another Service       this Service's alone        no, if all listeners are its: it is the last one
//	nobody                this Service's alone        yes
//	–                     none, and it is to adopt    no
//	–                     none                        yes
func (d *Driver) isGuest(s *snapshot, spec cloud.Spec) bool {
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
//	tags                                       on a balancer of  ours
//	the Service's name, in any cluster         –                 yes
//	none, or the name the balancer still has   its own           yes
//	any other                                  –                 no
func (d *Driver) isOurs(s *snapshot, l listener, spec cloud.Spec) bool {
	c := d.readClaims(s.lb.Tags, spec.Ref.Owner)
	named := func(tag string) bool { return d.isNameOf(tag, spec.Ref.Owner) && !c.names[tag] }
	if slices.ContainsFunc(l.Tags, named) {
		return true
	}
	foreign := slices.ContainsFunc(l.Tags, func(tag string) bool { return tag != "" && (tag != s.lb.Name || c.names[tag]) })
	return !foreign && !d.isGuest(s, spec)
}

// hasNothing reports whether nothing on a balancer that stays is the Service's any more.
func (d *Driver) hasNothing(s *snapshot, spec cloud.Spec) bool {
	c := d.readClaims(s.lb.Tags, spec.Ref.Owner)
	if c.ours || c.upstream || d.mayDelete(s, spec) {
		return false
	}
	return len(d.tagged(s, spec)) == 0 && len(d.spares(s, spec.Ref.Owner)) == 0
}

// tagged are the listeners that say that they are the Service's.
func (d *Driver) tagged(s *snapshot, spec cloud.Spec) []listener {
	c := d.readClaims(s.lb.Tags, spec.Ref.Owner)
	return slices.DeleteFunc(slices.Clone(s.listeners), func(l listener) bool {
		return !slices.ContainsFunc(l.Tags, func(tag string) bool { return d.isNameOf(tag, spec.Ref.Owner) && !c.names[tag] })
	})
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
