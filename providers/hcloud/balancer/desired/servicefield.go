package desired

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// Fields say what becomes of fields of a Service.
func Fields() map[cloud.ServiceField]cloud.Use {
	return map[cloud.ServiceField]cloud.Use{
		cloud.ServiceAffinity: {
			Handling: cloud.Ignored, Note: "this cloud does not know clients by their address; a cookie keeps them with a node, on ports that speak HTTP",
		},
		cloud.ServiceAddress: {
			Handling: cloud.Ignored, Note: "this cloud chooses public addresses; a private one is chosen with " + Address.Name,
		},
		cloud.ServiceFamilies: {
			Handling: cloud.Partly, Note: "each load balancer has addresses of both, without `" + NoIPv6.Name + "`; IPv6 alone is refused",
		},
	}
}
