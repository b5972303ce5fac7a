package owner

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// AsOurs puts our cluster's id in the place of what else an object beside the balancer may call the cluster:
//
//	the owner    calls it
//	any          what another tag of the Service or the balancer's name calls it, but for --cluster-name: the cluster got another name
//	without UID  --cluster-name
//
// Two clusters may have the same --cluster-name. What we made has the id beside it then.
func (c Tenancy) AsOurs(o cloud.Owner) cloud.Owner {
	us, name := c.input.Owner, c.rules.OwnershipTags.ClusterName
	if o.Cluster == name && o.UID == "" || o.Cluster != name && c.Tags.IsCalled(o.Cluster, c.lb.Name) {
		o.Cluster = us.Cluster
	}
	return o
}
