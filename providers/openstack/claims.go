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

// observedMarks returns those of the wanted marks that a balancer has, and marks of the same
// Service that are out of date.
func (d *Driver) observedMarks(have []string, o cloud.Owner) []string {
	var marks []string
	wanted := d.wantedMarks(o)
	former := d.readClaims(have, o).former
	for _, tag := range have {
		owner, ok := readMark(tag)
		if slices.Contains(wanted, tag) || slices.Contains(former, tag) || ok && owner.UID == o.UID {
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
