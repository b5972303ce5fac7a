// Package tag gives load balancers and their parts names, descriptions and tags, as upstream does, and reads whose
// something is.
package tag

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Ownership gives a Service's objects their names, descriptions and tags, and reads those of others.
type Ownership struct {
	// Cloud is the name of the configuration's entry.
	Cloud string
	// ClusterName is --cluster-name, a part of the names upstream gives.
	ClusterName string
	// Tags says that balancers and listeners have tags.
	Tags bool
}

// MaxText is the longest name, tag and description Octavia takes. Upstream cuts names but not
// descriptions.
const MaxText = 255

// Cut makes a text as short as Octavia wants it.
func Cut(text string) string { return text[:min(len(text), MaxText)] }

// NamePrefix begins the names of balancers that were made for a Service.
const NamePrefix = "kube_service_"

// Name is the balancer's name as upstream gives it. It is no proof of anything: two clusters
// in one project can have the same.
func (m Ownership) Name(o cloud.Owner) string {
	return Cut(NamePrefix + m.ClusterName + "_" + o.Namespace + "_" + o.Name)
}

// ReadName reads a name that upstream gives a balancer. No part of a Service's name can hold a "_",
// a cluster's can. Of a name that was cut nothing can be told for sure, so it is only somebody's.
func ReadName(name string) (o cloud.Owner, ok bool) {
	rest, ok := strings.CutPrefix(name, NamePrefix)
	at := strings.LastIndex(rest, "_")
	if !ok || at < 0 {
		return cloud.Owner{}, false
	}
	o.Cluster, o.Name = rest[:at], rest[at+1:]
	if at = strings.LastIndex(o.Cluster, "_"); at >= 0 {
		o.Cluster, o.Namespace = o.Cluster[:at], o.Cluster[at+1:]
	}
	return o, true
}

// ChildName is the name of the n-th listener, pool or monitor.
func (m Ownership) ChildName(kind string, n int, o cloud.Owner) string {
	return Cut(fmt.Sprintf("%s_%d_%s", kind, n, m.Name(o)))
}

// IsChild reports whether a name is that of a listener, pool or monitor of the owner's balancer.
func (m Ownership) IsChild(kind, name string, o cloud.Owner) bool {
	n, _, ok := splitChild(kind, name)
	return ok && name == m.ChildName(kind, n, o)
}

// splitChild splits the name of a listener, pool or monitor into its number and the balancer's name.
func splitChild(kind, name string) (n int, balancer string, ok bool) {
	rest, ok := strings.CutPrefix(name, kind+"_")
	number, balancer, separated := strings.Cut(rest, "_")
	n, err := strconv.Atoi(number)
	return n, balancer, ok && separated && err == nil
}

// NameOf is the name of a listener, pool or monitor that is there: as it is, unless the cluster got
// another name.
func (m Ownership) NameOf(kind, name string, o cloud.Owner) string {
	if n, balancer, ok := splitChild(kind, name); ok && m.IsNameOf(balancer, o) {
		return m.ChildName(kind, n, o)
	}
	return name
}

// IsNameOf reports whether a name is what upstream calls the Service's balancer, in a cluster of
// whatever name: those change. No part of a Service's name can hold a "_".
func (m Ownership) IsNameOf(name string, o cloud.Owner) bool {
	return name == m.Name(o) || strings.HasPrefix(name, NamePrefix) && strings.HasSuffix(name, "_"+o.Namespace+"_"+o.Name)
}

// IsTagged reports whether a listener has the Service's name, and none it had in a cluster of
// another name.
func (m Ownership) IsTagged(tags []string, o cloud.Owner) bool {
	former := slices.ContainsFunc(tags, func(tag string) bool { return tag != m.Name(o) && m.IsNameOf(tag, o) })
	return slices.Contains(tags, m.Name(o)) && !former
}

// ownershipTagPrefix begins the tag that says whose a balancer is. A shared balancer has one for each
// Service, so all of an owner is in one tag, as a query: ccm:cluster=…&name=…&uid=….
const ownershipTagPrefix = "ccm:"

// Tag returns the tag of an owner. The Service's name is left out where it does not fit.
func (m Ownership) Tag(o cloud.Owner) string {
	fields := url.Values{"uid": {o.UID}, "cluster": {Hashed(o.Cluster)}, "cloud": {Hashed(cmp.Or(o.Cloud, m.Cloud))}}
	short := ownershipTagPrefix + fields.Encode()
	fields.Set("namespace", o.Namespace)
	fields.Set("name", o.Name)
	if long := ownershipTagPrefix + fields.Encode(); len(long) <= MaxText {
		return long
	}
	return short
}

// Hashed returns a text that is short enough to be a part of a tag.
func Hashed(text string) string {
	if len(url.QueryEscape(text)) <= 64 {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:32]
}

// unhashed returns an owner with our cluster as it is, in the place of what fits.
func unhashed(owner, us cloud.Owner) cloud.Owner {
	if owner.Cluster == Hashed(us.Cluster) {
		owner.Cluster = us.Cluster
	}
	return owner
}

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

// WantedOwnershipTags are the tags the balancer of an owner carries, sorted: upstream's and ours.
// Before version 2.5 of the API there are none.
func (m Ownership) WantedOwnershipTags(o cloud.Owner) []string {
	if !m.Tags {
		return nil
	}
	ownershipTags := []string{m.Name(o), m.Tag(o)}
	slices.Sort(ownershipTags)
	return ownershipTags
}

// ObservedOwnershipTags returns those of the wanted ownership tags that a balancer has, and ownership tags of the same
// Service that are out of date.
func (m Ownership) ObservedOwnershipTags(have []string, o cloud.Owner) []string {
	var ownershipTags []string
	wanted := m.WantedOwnershipTags(o)
	former := m.ReadOwners(have, o).former
	for _, tag := range have {
		owner, _ := ReadOwnershipTag(tag)
		if slices.Contains(wanted, tag) || slices.Contains(former, tag) || ownership.IsTagged(owner, o) {
			ownershipTags = append(ownershipTags, tag)
		}
	}
	slices.Sort(ownershipTags)
	return slices.Compact(ownershipTags)
}

// ReplaceOwnershipTags returns tags with the ownership tags of a list in the place of the Service's present
// ones, and as they are where it has them. All others stay.
func (m Ownership) ReplaceOwnershipTags(have, wanted []string, o cloud.Owner) []string {
	present := m.ObservedOwnershipTags(have, o)
	if !m.Tags || slices.Equal(present, wanted) {
		return have
	}
	replaced := []string{}
	for _, tag := range have {
		if !slices.Contains(present, tag) && tag != "" {
			replaced = append(replaced, tag)
		}
	}
	return append(replaced, wanted...)
}

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
	return strings.HasPrefix(name, NamePrefix) || ownership.IsInName(name, o) || strings.HasPrefix(description, Balancer.before)
}

// IsMadeFor reports whether a balancer was made for this Service. Where only the cluster's name
// differs, a tag has to say that it is the same Service.
func (c Owners) IsMadeFor(name, description string) bool {
	if name == c.ownershipTags.Name(c.owner) || ownership.IsInName(name, c.owner) || description == c.ownershipTags.Description(Balancer, c.owner) {
		return true
	}
	former := c.ownershipTags.IsNameOf(name, c.owner) || strings.HasPrefix(description, Balancer.before+c.owner.String()+Balancer.between)
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
	return c.ownershipTags.IsChild("pool", name, c.owner) || c.ownershipTags.NameOf("pool", name, c.owner) != name
}
