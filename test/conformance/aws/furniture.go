package aws

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"

	lab "github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// furniture is what annotations refer to.
type furniture struct {
	groups    []string
	addresses []string
}

func furnish(t testing.TB, w *lab.World) furniture {
	t.Helper()
	f := furniture{groups: []string{w.Group(t, "web"), w.Group(t, "extra")}}
	for range w.Public {
		f.addresses = append(f.addresses, w.ElasticIP(t))
	}
	return f
}

// Leftovers are balancers of both kinds, target groups, security groups, rules and routes.
func (c *Control) Leftovers() (left []string) {
	c.Helper()
	classic, err := c.Classic.DescribeLoadBalancers(c.Context(), &elasticloadbalancing.DescribeLoadBalancersInput{})
	c.must(err)
	for _, lb := range classic.LoadBalancerDescriptions {
		left = append(left, "classic balancer "+*lb.LoadBalancerName)
	}
	network, err := c.Network.DescribeLoadBalancers(c.Context(), &elasticloadbalancingv2.DescribeLoadBalancersInput{})
	c.must(err)
	for _, lb := range network.LoadBalancers {
		left = append(left, "network balancer "+*lb.LoadBalancerName)
	}
	groups, err := c.Network.DescribeTargetGroups(c.Context(), &elasticloadbalancingv2.DescribeTargetGroupsInput{})
	c.must(err)
	for _, g := range groups.TargetGroups {
		left = append(left, "target group "+*g.TargetGroupName)
	}
	for _, g := range c.securityGroups() {
		switch id := *g.GroupId; {
		case id == c.NodeGroup && len(g.IpPermissions) > 0:
			left = append(left, fmt.Sprintf("rules of the nodes: %+v", g.IpPermissions))
		case id != c.NodeGroup && *g.GroupName != "default" && !slices.Contains(c.rest.groups, id):
			left = append(left, "security group "+*g.GroupName)
		}
	}
	return left
}

func (c *Control) securityGroups() []ec2types.SecurityGroup {
	c.Helper()
	answer, err := c.EC2.DescribeSecurityGroups(c.Context(), &ec2.DescribeSecurityGroupsInput{})
	c.must(err)
	return answer.SecurityGroups
}

func (c *Control) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}
