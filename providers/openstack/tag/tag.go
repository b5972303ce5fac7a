// Package tag gives load balancers and their parts names, descriptions and tags, as upstream does, and reads whose
// something is.
package tag

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
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
