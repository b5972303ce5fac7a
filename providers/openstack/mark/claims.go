package mark

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

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
// ones. All others stay.
func (m Marks) ReplaceMarks(have, wanted []string, o cloud.Owner) []string {
	present := m.ObservedMarks(have, o)
	replaced := []string{}
	for _, tag := range have {
		if !slices.Contains(present, tag) && tag != "" {
			replaced = append(replaced, tag)
		}
	}
	return append(replaced, wanted...)
}

// Claims is what the tags of a balancer say about the Services on it.
type Claims struct {
	// Ours says that one is the Service's own mark, and upstream that one is the name upstream
	// would give its balancer, in this cluster or in one of another name: then it is in former.
	Ours, Upstream bool
	former         []string
	// Others are the owners of our marks for other Services.
	Others []cloud.Owner
	// Names are the names upstream gives the balancers of the other Services, and users is how
	// many those are.
	Names map[string]bool
	Users int
}

// ReadClaims reads the tags of a balancer, for a Service.
func (m Marks) ReadClaims(tags []string, o cloud.Owner) Claims {
	c := Claims{Names: map[string]bool{}}
	var mine []string
	for _, tag := range tags {
		owner, ok := ReadMark(tag)
		switch {
		case ok && owner.UID == o.UID:
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
		case c.Namesake(o): // these are its names, in another cluster
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

// Namesake reports whether a Service of the same name, of another cluster, is on the balancer.
func (c Claims) Namesake(o cloud.Owner) bool {
	return slices.ContainsFunc(c.Others, func(other cloud.Owner) bool { return other.String() == o.String() })
}

// IsNameOf reports whether a name is what upstream calls the Service's balancer, in a cluster of
// whatever name: those change. No part of a Service's name can hold a "_".
func (m Marks) IsNameOf(name string, o cloud.Owner) bool {
	return name == m.Name(o) || strings.HasPrefix(name, NamePrefix) && strings.HasSuffix(name, "_"+o.Namespace+"_"+o.Name)
}

// Others are the owners of the marks for other Services, ours before upstream's.
func (m Marks) Others(c Claims, o cloud.Owner) []cloud.Owner {
	var list []cloud.Owner
	for _, other := range c.Others {
		if other.Cluster == Hashed(o.Cluster) {
			other.Cluster = o.Cluster
		}
		list = append(list, other)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Names)) {
		if slices.ContainsFunc(c.Others, func(other cloud.Owner) bool { return m.Name(other) == name }) {
			continue
		}
		other, ok := ReadName(name)
		if !ok {
			other = cloud.Owner{Cluster: name}
		}
		list = append(list, m.Translated(other, o))
	}
	return list
}

// OfUpstream is the owner that upstream's mark names. Only together with the id it says that it is
// this very cluster.
func (m Marks) OfUpstream(named, o cloud.Owner, byID bool) cloud.Owner {
	if byID {
		return m.Translated(named, o)
	}
	return named
}

// Translated puts the id of our cluster in the place of its name.
func (m Marks) Translated(named, o cloud.Owner) cloud.Owner {
	if named.Cluster == m.ClusterName {
		named.Cluster = o.Cluster
	}
	return named
}

// Named is the owner that upstream's mark of the Service names.
func (c Claims) Named(m Marks, o cloud.Owner) cloud.Owner {
	if len(c.former) > 0 {
		if former, ok := ReadName(c.former[0]); ok {
			return former
		}
	}
	return cloud.Owner{Cluster: m.ClusterName, Namespace: o.Namespace, Name: o.Name}
}

// IsTagged reports whether a listener has the Service's name, and none it had in a cluster of
// another name.
func (m Marks) IsTagged(tags []string, o cloud.Owner) bool {
	former := slices.ContainsFunc(tags, func(tag string) bool { return tag != m.Name(o) && m.IsNameOf(tag, o) })
	return slices.Contains(tags, m.Name(o)) && !former
}
