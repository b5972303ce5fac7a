package aws_test

import (
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	networkapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/switchover"
)

// Somebody changes a network load balancer by hand, whose name AWS does not let anybody change.
func TestBrokenByHand(t *testing.T) {
	s := newSite(t, siteOptions{})
	c := s.cluster()
	svc := c.Apply(s.service("web", network, func(svc *corev1.Service) { svc.Spec.LoadBalancerSourceRanges = []string{"192.0.2.0/24"} }))
	c.Install(s.nodes[0].Name)
	c.Switch(switchover.Compares...)
	name, api := defaultName(string(svc.UID)), s.world.Network
	group := func() *string { return s.listeners(name)[80].DefaultActions[0].TargetGroupArn }
	from := len(s.proxy.Calls())
	writes := func() int {
		made := len(s.wrote(from))
		from = len(s.proxy.Calls())
		return made
	}
	c.Broken(t, "shop/web", writes, []switchover.Breakage{
		{Name: "listener deleted", Do: func() { s.dropListener(name, 443, false) }, Says: "create listener tcp/443"},
		{Name: "target removed", Do: func() {
			_, err := api.DeregisterTargets(t.Context(), &networkapi.DeregisterTargetsInput{TargetGroupArn: group(), Targets: []networktypes.TargetDescription{{Id: awssdk.String(instanceID(s.nodes[0]))}}})
			s.must(err, "removing a target")
		}, Says: "create target "},
		{Name: "health check changed", Do: func() {
			_, err := api.ModifyTargetGroup(t.Context(), &networkapi.ModifyTargetGroupInput{TargetGroupArn: group(), HealthCheckIntervalSeconds: awssdk.Int32(30), HealthCheckPort: awssdk.String("9")})
			s.must(err, "changing a health check")
		}, Says: "health"},
		{Name: "source ranges widened", Do: func() { s.widen(s.world.NodeGroup, "192.0.2.0/24") }, Says: "0.0.0.0/0"},
		{Name: "tag removed", Do: func() {
			_, err := api.RemoveTags(t.Context(), &networkapi.RemoveTagsInput{ResourceArns: []string{*s.arn(name)}, TagKeys: []string{"multicloud-ccm.io/owner-cluster"}})
			s.must(err, "removing a tag")
		}, Says: "ownership tags", Level: "warning"},
		{Name: "subnet taken away", Do: func() {
			_, err := api.SetSubnets(t.Context(), &networkapi.SetSubnetsInput{LoadBalancerArn: s.arn(name), Subnets: s.world.Public[:2]})
			s.must(err, "taking a subnet away")
		}, Says: "subnet"},
	})
}

// widen lets everybody through the rules of a security group that let one network through.
func (s *site) widen(id, network string) {
	s.Helper()
	found, err := s.world.EC2.DescribeSecurityGroups(s.Context(), &ec2.DescribeSecurityGroupsInput{GroupIds: []string{id}})
	s.must(err, "reading a security group")
	for _, rule := range found.SecurityGroups[0].IpPermissions {
		for _, from := range rule.IpRanges {
			if awssdk.ToString(from.CidrIp) != network {
				continue
			}
			one := ec2types.IpPermission{IpProtocol: rule.IpProtocol, FromPort: rule.FromPort, ToPort: rule.ToPort, IpRanges: []ec2types.IpRange{from}}
			_, err := s.world.EC2.RevokeSecurityGroupIngress(s.Context(), &ec2.RevokeSecurityGroupIngressInput{GroupId: &id, IpPermissions: []ec2types.IpPermission{one}})
			s.must(err, "removing a rule")
			one.IpRanges = []ec2types.IpRange{{CidrIp: awssdk.String("0.0.0.0/0"), Description: from.Description}}
			_, err = s.world.EC2.AuthorizeSecurityGroupIngress(s.Context(), &ec2.AuthorizeSecurityGroupIngressInput{GroupId: &id, IpPermissions: []ec2types.IpPermission{one}})
			s.must(err, "adding a rule")
		}
	}
}
