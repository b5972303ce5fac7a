// Package tag gives load balancers and their parts names, descriptions and tags, as upstream does, and reads whose
// something is.
package tag

import (
	"cmp"
	"net/url"
	"slices"

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
		owner = unhashed(owner, o)
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
