package owner

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// AsOurs puts our cluster's id in the place of what else an object beside the balancer may call the cluster:
//
//	the owner    calls it
//	any          what the balancer calls the cluster of this Service, by a tag or its name: the cluster got another one
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

// Obstacle says why a Service may not have a floating IP at the port of its balancer, "" where it may.
//
//	at another port                                                 yes
//	free, its description has the UID of another Service, or of one
//	of another cluster                                              yes: that Service may want it again
//	the same, and the Service has to keep that address              no: the balancer that is replaced had it
//	any other                                                       no
func Obstacle(ip object.FloatingIP, port string, in cloud.Input) string {
	madeFor, _ := tag.FloatingIP.Read(ip.Description, in.Owner)
	switch {
	case ip.Port != "" && ip.Port != port:
		return "it is in use at port " + ip.Port
	case ip.Port == "" && madeFor.UID != "" && !ownership.IsCertain(madeFor, in.Owner) && ip.Address != in.Preserved[desired.FieldFloatingIP]:
		return "it was made for another Service; if that is gone, change the description of the floating IP"
	}
	return ""
}
