package owner

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/tag"
)

// Obstacle says why a Service may not have a floating IP at the port of its balancer, "" where it may.
//
//	at another port                                                 yes
//	free, its description has the UID of another Service, or of one
//	of another cluster                                              yes: that Service may want it again
//	the same, and the Service has to keep that address              no: the balancer that is replaced had it
//	any other                                                       no
func Obstacle(rules *desired.Rules, ip object.FloatingIP, port string, in cloud.Input) string {
	madeFor, _ := rules.OwnershipTags.ReadDescription(tag.FloatingIP, ip.Description, in.Owner)
	switch {
	case ip.Port != "" && ip.Port != port:
		return "it is in use at port " + ip.Port
	case ip.Port == "" && madeFor.UID != "" && !ownership.IsCertain(madeFor, in.Owner) && ip.Address != in.Preserved[desired.FieldFloatingIP]:
		return "it was made for another Service; if that is gone, change the description of the floating IP"
	}
	return ""
}
