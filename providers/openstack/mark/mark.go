// Package mark gives load balancers and their parts names, descriptions and tags, as upstream does, and reads whose
// something is.
package mark

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

// Marks gives a Service's objects their names, descriptions and tags, and reads those of others.
type Marks struct {
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
func (m Marks) Name(o cloud.Owner) string {
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

// DescriptionPrefix begins the descriptions of balancers that were made for a Service.
const DescriptionPrefix = "Kubernetes external service "

// Description is the description of a Service's balancer, as upstream gives it.
func (m Marks) Description(o cloud.Owner) string {
	return Cut(fmt.Sprintf(DescriptionPrefix+"%s from cluster %s", o, m.ClusterName))
}

// ChildName is the name of the n-th listener, pool or monitor.
func (m Marks) ChildName(kind string, n int, o cloud.Owner) string {
	return Cut(fmt.Sprintf("%s_%d_%s", kind, n, m.Name(o)))
}

// IsChild reports whether a name is that of a listener, pool or monitor of the owner's balancer.
func (m Marks) IsChild(kind, name string, o cloud.Owner) bool {
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
func (m Marks) NameOf(kind, name string, o cloud.Owner) string {
	if n, balancer, ok := splitChild(kind, name); ok && m.IsNameOf(balancer, o) {
		return m.ChildName(kind, n, o)
	}
	return name
}

// IsNameOf reports whether a name is what upstream calls the Service's balancer, in a cluster of
// whatever name: those change. No part of a Service's name can hold a "_".
func (m Marks) IsNameOf(name string, o cloud.Owner) bool {
	return name == m.Name(o) || strings.HasPrefix(name, NamePrefix) && strings.HasSuffix(name, "_"+o.Namespace+"_"+o.Name)
}

// IsTagged reports whether a listener has the Service's name, and none it had in a cluster of
// another name.
func (m Marks) IsTagged(tags []string, o cloud.Owner) bool {
	former := slices.ContainsFunc(tags, func(tag string) bool { return tag != m.Name(o) && m.IsNameOf(tag, o) })
	return slices.Contains(tags, m.Name(o)) && !former
}

// markPrefix begins the tag that says whose a balancer is. A shared balancer has one for each
// Service, so all of an owner is in one tag, as a query: ccm:cluster=…&name=…&uid=….
const markPrefix = "ccm:"

// Tag returns the tag of an owner. The Service's name is left out where it does not fit.
func (m Marks) Tag(o cloud.Owner) string {
	fields := url.Values{"uid": {o.UID}, "cluster": {Hashed(o.Cluster)}, "cloud": {Hashed(cmp.Or(o.Cloud, m.Cloud))}}
	short := markPrefix + fields.Encode()
	fields.Set("namespace", o.Namespace)
	fields.Set("name", o.Name)
	if long := markPrefix + fields.Encode(); len(long) <= MaxText {
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

// ReadMark returns the owner a tag names, and false for other tags.
func ReadMark(tag string) (cloud.Owner, bool) {
	query, ok := strings.CutPrefix(tag, markPrefix)
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

// Claims is what the tags of a balancer say about the Services on it.
type Claims struct {
	marks Marks
	owner cloud.Owner
	// Ours says that one is the Service's own mark, and upstream that one is the name upstream
	// would give its balancer, in this cluster or in one of another name: then it is in former.
	Ours, Upstream bool
	former         []string
	// Cluster is that of the Service's own mark, this one where several say so. Clusters that were restored from one backup
	// have Services of equal UIDs.
	Cluster string
	// Others are the owners of our marks for other Services.
	Others []cloud.Owner
	// Names are the names upstream gives the balancers of the other Services, and users is how
	// many those are.
	Names map[string]bool
	Users int
}

// ReadClaims reads the tags of a balancer, for a Service.
func (m Marks) ReadClaims(tags []string, o cloud.Owner) Claims {
	c := Claims{marks: m, owner: o, Names: map[string]bool{}}
	var mine []string
	for _, tag := range tags {
		owner, ok := ReadMark(tag)
		if owner.Cluster == Hashed(o.Cluster) {
			owner.Cluster = o.Cluster
		}
		switch {
		case ok && ownership.IsMarked(owner, o):
			if !c.Ours || owner.Cluster == o.Cluster {
				c.Cluster = owner.Cluster
			}
			c.Ours = true
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

// IsCertain reports whether the Service's own mark is there, with this cluster in it.
func (c Claims) IsCertain() bool { return c.Ours && c.Cluster == c.owner.Cluster }

// Namesake reports whether a Service of the same name, of another cluster, is on the balancer.
func (c Claims) Namesake() bool {
	return slices.ContainsFunc(c.Others, func(other cloud.Owner) bool { return ownership.Of(other, c.owner) == ownership.Namesake })
}

// Named is the owner that upstream's mark of the Service names.
func (c Claims) Named() cloud.Owner {
	if len(c.former) > 0 {
		if former, ok := ReadName(c.former[0]); ok {
			return former
		}
	}
	return cloud.Owner{Cluster: c.marks.ClusterName, Namespace: c.owner.Namespace, Name: c.owner.Name}
}

// IsMade reports whether a balancer was made for some Service. Upstream marks those by their
// names; one that was renamed still has its description.
func IsMade(name, description string, o cloud.Owner) bool {
	return strings.HasPrefix(name, NamePrefix) || ownership.IsInName(name, o) || strings.HasPrefix(description, DescriptionPrefix)
}

// IsMadeFor reports whether a balancer was made for this Service. Where only the cluster's name
// differs, a tag has to say that it is the same Service.
func (c Claims) IsMadeFor(name, description string) bool {
	if name == c.marks.Name(c.owner) || ownership.IsInName(name, c.owner) || description == c.marks.Description(c.owner) {
		return true
	}
	former := c.marks.IsNameOf(name, c.owner) || strings.HasPrefix(description, DescriptionPrefix+c.owner.String()+" from cluster ")
	return former && (c.Ours || c.Upstream)
}

// HasListener reports whether a listener on the balancer says by a tag, or by its name where no tag names a Service, that it is
// the Service's.
func (c Claims) HasListener(name string, tags []string) bool {
	named := func(name string) bool { return c.marks.IsNameOf(name, c.owner) && !c.Names[name] }
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
func (c Claims) HasOther(tags []string, balancer string) bool {
	return slices.ContainsFunc(tags, func(tag string) bool { return tag != "" && (tag != balancer || c.Names[tag]) })
}

// HasPool reports whether the name of a pool says that it is the Service's.
func (c Claims) HasPool(name string) bool {
	return c.marks.IsChild("pool", name, c.owner) || c.marks.NameOf("pool", name, c.owner) != name
}

// WantedMarks are the tags the balancer of an owner carries, sorted: upstream's and ours.
// Before version 2.5 of the API there are none.
func (m Marks) WantedMarks(o cloud.Owner) []string {
	if !m.Tags {
		return nil
	}
	marks := []string{m.Name(o), m.Tag(o)}
	slices.Sort(marks)
	return marks
}

// ObservedMarks returns those of the wanted marks that a balancer has, and marks of the same
// Service that are out of date.
func (m Marks) ObservedMarks(have []string, o cloud.Owner) []string {
	var marks []string
	wanted := m.WantedMarks(o)
	former := m.ReadClaims(have, o).former
	for _, tag := range have {
		owner, ok := ReadMark(tag)
		if slices.Contains(wanted, tag) || slices.Contains(former, tag) || ok && owner.UID == o.UID {
			marks = append(marks, tag)
		}
	}
	slices.Sort(marks)
	return slices.Compact(marks)
}

// ReplaceMarks returns tags with the marks of a list in the place of the Service's present
// ones, and as they are where it has them. All others stay.
func (m Marks) ReplaceMarks(have, wanted []string, o cloud.Owner) []string {
	present := m.ObservedMarks(have, o)
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
