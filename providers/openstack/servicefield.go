package openstack

import "github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"

// serviceFields say what becomes of fields of a Service.
func serviceFields() map[cloud.ServiceField]cloud.Use {
	return map[cloud.ServiceField]cloud.Use{
		cloud.ServiceNodePorts: {
			Handling: cloud.Ignored, Note: "the listener of a port without a node port has no members, and nobody answers there; let the Service allocate node ports",
		},
		cloud.ServiceAffinity: {Handling: cloud.Used, Note: "pools keep a client with its node by its address"},
		cloud.ServiceAddress:  {Handling: cloud.Used, Note: "as the floating IP; without one as the load balancer's own address"},
		cloud.ServiceFamilies: {Handling: cloud.Partly, Note: "the first; also the second where Octavia's API has additional VIPs"},
	}
}
