package tag

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Owns reports whether tags say that the object was made for the cluster.
func (c Cluster) Owns(tags map[string]string) bool {
	return tags[ClusterPrefix+c.ID] == Owned || tags[LegacyKey] == c.ID
}

// InAny reports whether tags say that the object is used by any cluster.
func InAny(tags map[string]string) bool {
	for key := range tags {
		if strings.HasPrefix(key, ClusterPrefix) {
			return true
		}
	}
	return false
}

// MadeFor returns the id of the cluster that upstream's tags say an object was made for, "" for none, which may use it all the same.
// The first that fits decides; what the AWS Load Balancer Controller made has its whole tag for an id.
func (c Cluster) MadeFor(tags map[string]string) string {
	if c.Owns(tags) {
		return c.ID
	}
	if cluster, made := tags[Controller]; made {
		return Controller + "=" + cluster
	}
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if id, found := strings.CutPrefix(key, ClusterPrefix); found && tags[key] == Owned {
			return id
		}
	}
	return tags[LegacyKey]
}

// Owner returns what name and tags of an object claim:
//
//	our tags      serviceKey  cluster's tag  default name  claims
//	yes           –           –              –             what they say
//	no            –           –              this UID      that UID, and as below
//	no            yes         ours           –             this cluster, namespace and name
//	no            –           another's      –             that cluster
//	no            no          none           –             nothing
//
// What the AWS Load Balancer Controller made is of another cluster, whatever the name it gives that.
func (c Cluster) Owner(name string, tags map[string]string, us cloud.Owner) cloud.Owner {
	if owner := OwnershipTags.Owner(tags); owner.UID != "" {
		return owner
	}
	var owner cloud.Owner
	if ownership.IsInName(name, us) {
		owner.UID = us.UID
	}
	owner.Namespace, owner.Name, _ = strings.Cut(tags[serviceKey], "/")
	owner.Cluster = c.clusterOf(tags, us)
	return owner
}

// clusterOf returns the cluster that tags of an object name, "" for none:
//
//	first that fits                              cluster
//	made for ours                                ours
//	made by the AWS Load Balancer Controller     the tag
//	made for another, or used by another only    that
//	used by ours                                 ours
func (c Cluster) clusterOf(tags map[string]string, us cloud.Owner) string {
	id := c.MadeFor(tags)
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		if user, found := strings.CutPrefix(key, ClusterPrefix); found && !c.Has(tags) {
			id = cmp.Or(id, user)
		}
	}
	if c.Owns(tags) || id == "" && c.Has(tags) {
		return us.Cluster
	}
	return id
}

// PartOwner returns what tags of a part of a balancer, such as a target group, claim: as Owner, but a cluster
// that only uses it has no claim.
func (c Cluster) PartOwner(tags map[string]string, us cloud.Owner) cloud.Owner {
	owner := c.Owner("", tags, us)
	if owner.UID == "" && !c.Owns(tags) {
		owner.Cluster = ""
	}
	return owner
}
