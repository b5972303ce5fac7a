package tag

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/url"
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
	// Own is what the Service's own ownership tag says, the one with the present id of this cluster where there are several. Clusters
	// that were restored from one backup have Services of equal UIDs: those are others.
	Own cloud.Owner
	// Others are the owners of our ownership tags for other Services. Namesake says that one has the same name in another cluster, and
	// Twin that one has the same UID there.
	Others         []cloud.Owner
	Namesake, Twin bool
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
			if c.Ours = true; c.Own.Cluster != o.Cluster {
				c.Own = owner
			}
		case ok:
			c.Others = append(c.Others, owner)
			c.Twin = c.Twin || ownership.IsTwin(owner, o)
			c.Namesake = c.Namesake || c.Twin || ownership.NamesThis(owner, o)
			c.Names[m.Name(owner)] = true
		case m.IsNameOf(tag, o):
			mine = append(mine, tag)
		case strings.HasPrefix(tag, NamePrefix):
			c.Names[tag] = true
		}
	}
	for _, tag := range mine {
		switch {
		case c.Namesake: // these are its names, in another cluster
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

// ReadOwnershipTag returns the owner a tag names, and false for other tags.
func ReadOwnershipTag(tag string) (cloud.Owner, bool) {
	query, ok := strings.CutPrefix(tag, ownershipTagPrefix)
	if !ok {
		return cloud.Owner{}, false
	}
	fields, err := url.ParseQuery(query)
	if err != nil || fields.Get("uid") == "" {
		return cloud.Owner{}, false
	}
	return cloud.Owner{
		Cluster: fields.Get("cluster"), Namespace: fields.Get("namespace"), Name: fields.Get("name"),
		UID: fields.Get("uid"), Cloud: fields.Get("cloud"),
	}, true
}

// unhashed returns an owner with the id of our cluster, the present or a former one, as it is, in the place of what fits.
func unhashed(owner, us cloud.Owner) cloud.Owner {
	if id, here := us.ClusterWritten(owner.Cluster, Hashed); here {
		owner.Cluster = id
	}
	return owner
}

// Hashed returns a text that is short enough to be a part of a tag.
func Hashed(text string) string {
	if len(url.QueryEscape(text)) <= 64 {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:32]
}

// AllOwners returns the Services that the tags of a balancer name, for a cluster: those of our ownership tags, and of upstream's names
// without one, of which a cluster of the name --cluster-name is ours.
func (m Ownership) AllOwners(tags []string, us cloud.Owner) []cloud.Owner {
	c := m.ReadOwners(tags, cloud.Owner{Cluster: us.Cluster})
	owners := slices.Clone(c.Others)
	for _, name := range slices.Sorted(maps.Keys(c.Names)) {
		if slices.ContainsFunc(c.Others, func(o cloud.Owner) bool { return m.Name(o) == name }) {
			continue
		}
		o, ok := ReadName(name)
		switch {
		case !ok:
			o = cloud.Owner{Cluster: name}
		case o.Cluster == m.ClusterName:
			o.Cluster = us.Cluster
		}
		owners = append(owners, o)
	}
	return owners
}
