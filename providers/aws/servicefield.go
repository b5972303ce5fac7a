package aws

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// serviceFields say what becomes of fields of a Service.
func serviceFields() map[cloud.ServiceField]cloud.Use {
	return map[cloud.ServiceField]cloud.Use{
		cloud.ServiceAffinity: {
			Handling: cloud.Partly, Note: "Network Load Balancers keep clients, on ports that terminate no TLS; elsewhere it is refused",
		},
		cloud.ServiceAddress: {
			Handling: cloud.Refused, Note: "AWS gives the address; network balancers take " + option.Addresses.Name + " and " + option.PrivateAddresses.Name,
		},
		cloud.ServiceFamilies: {
			Handling: cloud.Partly, Note: "IPv4; also IPv6 on a Network Load Balancer for a Service of both, where each of its subnets has IPv6 and no port is UDP",
		},
	}
}
