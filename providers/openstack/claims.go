package openstack

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// markPrefix begins the tag that says whose a balancer is. A shared balancer has one for each
// Service, so all of an owner is in one tag, as a query: ccm:cluster=…&name=…&uid=….
const markPrefix = "ccm:"

// mark returns the tag of an owner. The Service's name is left out where it does not fit.
func (d *Driver) mark(o cloud.Owner) string {
	fields := url.Values{"uid": {o.UID}, "cluster": {hashed(o.Cluster)}, "cloud": {hashed(cmp.Or(o.Cloud, d.cloud))}}
	short := markPrefix + fields.Encode()
	fields.Set("namespace", o.Namespace)
	fields.Set("name", o.Name)
	if long := markPrefix + fields.Encode(); len(long) <= maxText {
		return long
	}
	return short
}

// hashed returns a text that is short enough to be a part of a tag.
func hashed(text string) string {
	if len(url.QueryEscape(text)) <= 64 {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:32]
}

// readMark returns the owner a tag names, and false for other tags.
func readMark(tag string) (cloud.Owner, bool) {
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

// wantedMarks are the tags the balancer of an owner carries, sorted: upstream's and ours.
// Before version 2.5 of the API there are none.
func (d *Driver) wantedMarks(o cloud.Owner) []string {
	if !d.can(ableTags) {
		return nil
	}
	marks := []string{d.name(o), d.mark(o)}
	slices.Sort(marks)
	return marks
}

// claims is what the tags of a balancer say about the Services on it.
type claims struct {
	// ours says that one is the Service's own mark, and upstream that one is the name upstream
	// would give its balancer.
	ours, upstream bool
	// others are the owners of our marks for other Services.
	others []cloud.Owner
	// names are the names upstream gives the balancers of the other Services, and users is how
	// many those are.
	names map[string]bool
	users int
}

func (d *Driver) readClaims(tags []string, o cloud.Owner) claims {
	c := claims{names: map[string]bool{}}
	for _, tag := range tags {
		owner, ok := readMark(tag)
		switch {
		case ok && owner.UID == o.UID:
			c.ours = true
		case ok:
			c.others = append(c.others, owner)
			c.names[d.name(owner)] = true
		case tag == d.name(o):
			c.upstream = true
		case strings.HasPrefix(tag, namePrefix):
			c.names[tag] = true
		}
	}
	// The tag of a Service of the same name in another cluster is not ours.
	c.upstream = c.upstream && !c.names[d.name(o)]
	c.users = len(c.names)
	return c
}

// owner says whose a balancer is, for the kernel's judgement:
//
//	this Service's mark  other Services' marks  named by id  room to share  owner
//	yes                  –                      –            –              this Service
//	no                   none                   –            –              nobody: upstream's, or the user's own
//	no                   this cluster's         yes          yes            nobody: to be shared
//	no                   any                    –            –              the first of them
func (d *Driver) owner(lb *balancer, spec cloud.Spec) cloud.Owner {
	c := d.readClaims(lb.Tags, spec.Ref.Owner)
	switch {
	case c.ours, lb.Name == legacyName(spec.Ref.Owner.UID):
		return spec.Ref.Owner
	case len(c.others) == 0:
		return cloud.Owner{}
	case !spec.Leaving && spec.Ref.ID == lb.ID && c.users < d.config.balancer.maxShared && c.others[0].Cluster == hashed(spec.Ref.Owner.Cluster) && !c.upstream:
		return cloud.Owner{}
	}
	return c.others[0]
}

// observedMarks returns those of the wanted marks that a balancer has, and marks of the same
// Service that are out of date.
func (d *Driver) observedMarks(have []string, o cloud.Owner) []string {
	var marks []string
	wanted := d.wantedMarks(o)
	for _, tag := range have {
		owner, ok := readMark(tag)
		if slices.Contains(wanted, tag) || ok && owner.UID == o.UID {
			marks = append(marks, tag)
		}
	}
	slices.Sort(marks)
	return slices.Compact(marks)
}

// replaceMarks returns tags with the marks of a list in the place of the Service's present
// ones. All others stay.
func (d *Driver) replaceMarks(have, wanted []string, o cloud.Owner) []string {
	present := d.observedMarks(have, o)
	replaced := []string{}
	for _, tag := range have {
		if !slices.Contains(present, tag) && tag != "" {
			replaced = append(replaced, tag)
		}
	}
	return append(replaced, wanted...)
}
