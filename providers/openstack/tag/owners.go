package tag

import (
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Owners is what the tags of a balancer say about the Services on it.
type Owners struct {
	ownershipTags Ownership
	owner         cloud.Owner
	// Ours says that one is the Service's own ownership tag, and upstream that one is the name upstream
	// would give its balancer, in this cluster or in one of another name: then it is in former.
	Ours, Upstream bool
	former         []string
	// Own is what the Service's own ownership tag says, the one of this cluster where there are several. Clusters that were restored
	// from one backup have Services of equal UIDs.
	Own cloud.Owner
	// Others are the owners of our ownership tags for other Services.
	Others []cloud.Owner
	// Names are the names upstream gives the balancers of the other Services, and users is how
	// many those are.
	Names map[string]bool
	Users int
}

// ReadOwners reads the tags of a balancer, for a Service.
func (m Ownership) ReadOwners(tags []string, o cloud.Owner) Owners {
	c := Owners{ownershipTags: m, owner: o, Names: map[string]bool{}}
	var mine []string
	for _, tag := range tags {
		owner, ok := ReadOwnershipTag(tag)
		owner = unhashed(owner, o)
		switch {
		case ok && ownership.IsTagged(owner, o):
			if c.Ours = true; !c.IsCertain() {
				c.Own = owner
			}
		case ok:
			c.Others = append(c.Others, owner)
			c.Names[m.Name(owner)] = true
		case m.IsNameOf(tag, o):
			mine = append(mine, tag)
		case strings.HasPrefix(tag, NamePrefix):
			c.Names[tag] = true
		}
	}
	for _, tag := range mine {
		switch {
		case c.Namesake(): // these are its names, in another cluster
			c.Names[tag] = true
		case tag == m.Name(o):
			c.Upstream = true
		default:
			c.Upstream, c.former = true, append(c.former, tag)
		}
	}
	c.Users = len(c.Names)
	return c
}

// IsCertain reports whether the Service's own ownership tag is there, with this cluster in it.
func (c Owners) IsCertain() bool { return ownership.IsCertain(c.Own, c.owner) }

// Namesake reports whether a Service of the same name, of another cluster, is on the balancer.
func (c Owners) Namesake() bool {
	return slices.ContainsFunc(c.Others, func(other cloud.Owner) bool { return ownership.Of(other, c.owner) == ownership.Namesake })
}

// Named is the owner that upstream's ownership tag of the Service names.
func (c Owners) Named() cloud.Owner {
	if len(c.former) > 0 {
		if former, ok := ReadName(c.former[0]); ok {
			return former
		}
	}
	return cloud.Owner{Cluster: c.ownershipTags.ClusterName, Namespace: c.owner.Namespace, Name: c.owner.Name}
}

// IsCalled reports whether the balancer, by a tag or its name, calls the cluster of this Service so: then the cluster had that name.
func (c Owners) IsCalled(cluster, balancer string) bool {
	names := c.former
	if (c.Ours || c.Upstream) && c.ownershipTags.IsNameOf(balancer, c.owner) {
		names = append(slices.Clone(names), balancer)
	}
	return cluster != "" && cluster == c.Own.Cluster || slices.ContainsFunc(names, func(name string) bool {
		former, _ := ReadName(name)
		return cluster != "" && former.Cluster == cluster
	})
}

// IsMade reports whether a balancer was made for some Service. Upstream marks those by their
// names; one that was renamed still has its description.
func IsMade(name, description string, o cloud.Owner) bool {
	_, described := Balancer.Read(description, o)
	return described || strings.HasPrefix(name, NamePrefix) || ownership.IsInName(name, o)
}

// IsMadeFor reports whether a balancer was made for this Service. Where only the cluster's name
// differs, a tag has to say that it is the same Service.
func (c Owners) IsMadeFor(name, description string) bool {
	if name == c.ownershipTags.Name(c.owner) || ownership.IsInName(name, c.owner) || description == c.ownershipTags.Description(Balancer, c.owner) {
		return true
	}
	described, _ := Balancer.Read(description, c.owner)
	former := c.ownershipTags.IsNameOf(name, c.owner) || ownership.NamesThis(described, c.owner)
	return former && (c.Ours || c.Upstream)
}

// HasListener reports whether a listener on the balancer says by a tag, or by its name where no tag names a Service, that it is
// the Service's.
func (c Owners) HasListener(name string, tags []string) bool {
	named := func(name string) bool { return c.ownershipTags.IsNameOf(name, c.owner) && !c.Names[name] }
	if slices.ContainsFunc(tags, named) {
		return true
	}
	if slices.ContainsFunc(tags, func(tag string) bool { return strings.HasPrefix(tag, NamePrefix) }) {
		return false
	}
	_, balancer, ok := splitChild("listener", name)
	return ok && named(balancer)
}

// HasOther reports whether a listener's tags name something else than the balancer, or a Service that the balancer is shared with.
func (c Owners) HasOther(tags []string, balancer string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return tag != "" && (tag != balancer || c.Names[tag]) })
}

// HasPool reports whether the name of a pool says that it is the Service's.
func (c Owners) HasPool(name string) bool {
	_, balancer, ok := splitChild("pool", name)
	return c.ownershipTags.IsChild("pool", name, c.owner) || ok && c.ownershipTags.IsNameOf(balancer, c.owner)
}
