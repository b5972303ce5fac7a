package secgroup

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Ingress returns the rules of a security group. EC2 tells them apart by all they say but the description: there can't be a second
// one with another description.
func Ingress(g ec2types.SecurityGroup) packetfilter.Rules {
	rs := packetfilter.Rules{}
	for _, p := range g.IpPermissions {
		ports := cloud.AllPorts(packetfilter.Protocol(aws.ToString(p.IpProtocol)))
		if ports.Protocol != cloud.ProtocolAll {
			ports.From, ports.To = int(aws.ToInt32(p.FromPort)), int(aws.ToInt32(p.ToPort))
		}
		add := func(peer packetfilter.Peer, description *string) {
			rs[packetfilter.Rule{PortRange: ports, Peer: peer}] = packetfilter.Attributes{Description: aws.ToString(description)}
		}
		for _, s := range p.IpRanges {
			add(packetfilter.Network(aws.ToString(s.CidrIp)), s.Description)
		}
		for _, s := range p.Ipv6Ranges {
			add(packetfilter.Network(aws.ToString(s.CidrIpv6)), s.Description)
		}
		for _, s := range p.PrefixListIds {
			add(packetfilter.Peer{List: aws.ToString(s.PrefixListId)}, s.Description)
		}
		for _, s := range p.UserIdGroupPairs {
			add(packetfilter.Peer{Group: aws.ToString(s.GroupId)}, s.Description)
		}
	}
	return rs
}

// rulesIn are the rules of all security groups.
func rulesIn(inv *vpc.Inventory) map[string]packetfilter.Rules {
	all := make(map[string]packetfilter.Rules, len(inv.Groups))
	for id, group := range inv.Groups {
		all[id] = Ingress(group)
	}
	return all
}

// NodeRules adds what differs of the rules of nodes' security groups, see packetfilter.Needs.
func (gs *Groups) NodeRules(r *cloud.Resources, inv *vpc.Inventory, n packetfilter.Needs, own *cloud.Resource, doubt bool) error {
	if gs.LeaveNodeGroups {
		return nil
	}
	return n.AddTo(r, rulesIn(inv), own, doubt)
}
