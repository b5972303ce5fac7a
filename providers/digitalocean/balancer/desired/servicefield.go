package desired

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/option"
)

// Fields say what becomes of fields of a Service.
func Fields() map[cloud.ServiceField]cloud.Use {
	return map[cloud.ServiceField]cloud.Use{
		cloud.ServiceNodePorts: {
			Handling: cloud.Partly, Note: "a REGIONAL_NETWORK balancer needs no node ports; on a REGIONAL one a port without one is refused",
		},
		cloud.ServiceAffinity: {
			Handling: cloud.Ignored, Note: "DigitalOcean keeps no client with a node by its address; on a REGIONAL balancer a cookie does, see " + option.CookieName.Name,
		},
		cloud.ServiceAddress: {
			Handling: cloud.Ignored, Note: "it is ignored; use " + option.IP.Name + " for an address of your own",
		},
		cloud.ServiceFamilies: {
			Handling: cloud.Partly, Note: "IPv4; also IPv6 on a REGIONAL balancer, and on a REGIONAL_NETWORK one for a Service of both where each node has both; IPv6 alone is refused",
		},
	}
}
