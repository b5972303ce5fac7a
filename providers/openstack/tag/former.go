package tag

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

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
	return slices.ContainsFunc(names, func(name string) bool {
		former, _ := ReadName(name)
		return cluster != "" && former.Cluster == cluster
	})
}
