package aws

import (
	"strings"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// tampering changes something of a balancer by hand.
type tampering func(c *Control, id string) error

// TamperBalancer does what somebody with the API would. Of the listeners it only changes the
// first: the second is like it.
func (c *Control) TamperBalancer(id, field string) bool {
	c.Helper()
	field = strings.TrimPrefix(field, "tcp/80 ")
	ways := ofClassic
	if strings.HasPrefix(id, "arn:") {
		ways = ofNetwork
	}
	way, known := ways[field]
	if !known {
		way, known = ofGroups[field]
	}
	if known {
		c.must(way(c, id))
	}
	return known
}

// ofGroups are those that both kinds have: they are about security groups.
var ofGroups = map[string]tampering{
	cloud.FieldAllow: func(c *Control, _ string) error {
		_, err := c.EC2.AuthorizeSecurityGroupIngress(c.Context(), &ec2.AuthorizeSecurityGroupIngressInput{
			GroupId: awssdk.String(c.ruled()), IpPermissions: []ec2types.IpPermission{c.more()},
		})
		return err
	},
	"security group rule": func(c *Control, _ string) error {
		if err := c.close(c.ruled(), "icmp"); err != nil {
			return err
		}
		return c.close(c.NodeGroup, "")
	},
}

// ruled is the security group whose rules say who may connect: the balancer's own, and where
// there is none that of the nodes.
func (c *Control) ruled() string {
	c.Helper()
	for _, g := range c.securityGroups() {
		if strings.HasPrefix(*g.GroupName, "k8s-") {
			return *g.GroupId
		}
	}
	return c.NodeGroup
}

// more is what lets another client in, as the driver's own rules do.
func (c *Control) more() ec2types.IpPermission {
	rule := ec2types.IpPermission{IpProtocol: awssdk.String("tcp"), FromPort: awssdk.Int32(80), ToPort: awssdk.Int32(80)}
	source := ec2types.IpRange{CidrIp: awssdk.String("198.51.100.0/24")}
	if c.ruled() == c.NodeGroup {
		rule.FromPort, rule.ToPort = awssdk.Int32(30080), awssdk.Int32(30080)
		source.Description = c.clientRule()
	}
	rule.IpRanges = []ec2types.IpRange{source}
	return rule
}

// clientRule is the description of the nodes' rules that let clients in.
func (c *Control) clientRule() *string {
	for _, g := range c.securityGroups() {
		for _, rule := range g.IpPermissions {
			for _, source := range rule.IpRanges {
				if strings.Contains(awssdk.ToString(source.Description), "/client=") {
					return source.Description
				}
			}
		}
	}
	return nil
}

// close removes the rules of a protocol from a security group, all where it is "".
func (c *Control) close(group, protocol string) error {
	for _, g := range c.securityGroups() {
		if *g.GroupId != group {
			continue
		}
		var rules []ec2types.IpPermission
		for _, rule := range g.IpPermissions {
			if protocol == "" || *rule.IpProtocol == protocol {
				rules = append(rules, rule)
			}
		}
		_, err := c.EC2.RevokeSecurityGroupIngress(c.Context(), &ec2.RevokeSecurityGroupIngressInput{GroupId: &group, IpPermissions: rules})
		return err
	}
	return nil
}
