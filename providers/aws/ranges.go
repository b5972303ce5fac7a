package aws

import (
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	classic "github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	network "github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// SourceRanges says who enforces source ranges, on each kind of balancers.
func SourceRanges() []cloud.Enforcement {
	four := cloud.Families{IPv4: true}
	all := []cloud.Enforcement{
		{Balancer: "Classic", By: classic.Settings{}.Enforcer(cloud.Spec{}), Clients: four},
		{Balancer: "Classic, with security groups that are named or configured", By: classic.Settings{Group: "sg"}.Enforcer(cloud.Spec{}), Clients: four},
	}
	for _, group := range []string{secgroup.OwnGroup, ""} {
		for _, dual := range []bool{false, true} {
			for _, kept := range []bool{true, false} {
				b := cloud.Balancer{
					DualStack: dual, ProviderFields: map[string]string{balancer.FieldGroups: group},
					Listeners: []cloud.Listener{{ProviderFields: map[string]string{balancer.FieldPreserve: strconv.FormatBool(kept)}}},
				}
				all = append(all, cloud.Enforcement{Balancer: networkText(group, dual, kept), By: network.Settings{}.Enforcer(b), Clients: cloud.Families{IPv4: true, IPv6: dual}})
			}
		}
	}
	b := cloud.Balancer{ProviderFields: map[string]string{}, Listeners: []cloud.Listener{{ProviderFields: map[string]string{balancer.FieldPreserve: "true"}}}}
	return append(all, cloud.Enforcement{
		Balancer: networkText("", false, true) + ", `DisableSecurityGroupIngress`", By: network.Settings{LeaveNodeGroups: true}.Enforcer(b), Clients: four,
	})
}

// networkText describes a Network Load Balancer.
func networkText(group string, dual, kept bool) string {
	text := "Network, without a security group of its own"
	if group != "" {
		text = "Network, with a security group of its own"
	}
	if dual {
		text += ", dual-stack"
	}
	if kept {
		return text + ", clients' addresses kept"
	}
	return text + ", clients' addresses replaced"
}
