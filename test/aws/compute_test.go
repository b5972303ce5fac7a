package aws_test

import (
	"fmt"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	classic "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

func TestInstancePages(t *testing.T) {
	t.Parallel()
	w := aws.NewWorld(t, aws.WorldOptions{Zones: 1})
	w.Boot(t, aws.MachineOptions{Count: 12})
	seen, pages := map[string]bool{}, 0
	for p := ec2.NewDescribeInstancesPaginator(w.EC2, &ec2.DescribeInstancesInput{MaxResults: awssdk.Int32(5)}); p.HasMorePages(); pages++ {
		for _, r := range must(p.NextPage(t.Context()))(t).Reservations {
			for _, i := range r.Instances {
				seen[*i.InstanceId] = true
			}
		}
	}
	if len(seen) != 12 || pages != 3 {
		t.Errorf("%d instances on %d pages; want 12 on 3", len(seen), pages)
	}
	_, err := w.EC2.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{"i-0123456789abcdef0"}})
	wantCode(t, "unknown instance", err, "InvalidInstanceID.NotFound")
	_, err = w.EC2.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{InstanceIds: []string{"i-web"}})
	wantCode(t, "malformed instance", err, "InvalidInstanceID.Malformed")
}

func TestInstanceTopology(t *testing.T) {
	t.Parallel()
	w := aws.NewWorld(t, aws.WorldOptions{Zones: 1})
	plain, placed := w.Boot(t, aws.MachineOptions{}), w.Boot(t, aws.MachineOptions{Type: "p4d.24xlarge"})
	got := must(w.EC2.DescribeInstanceTopology(t.Context(), &ec2.DescribeInstanceTopologyInput{InstanceIds: append(plain, placed...)}))(t)
	if len(got.Instances) != 1 || *got.Instances[0].InstanceId != placed[0] || len(got.Instances[0].NetworkNodes) != 3 {
		t.Errorf("topology %+v", got.Instances)
	}
}

func TestSecurityGroups(t *testing.T) {
	t.Parallel()
	w := aws.NewWorld(t, aws.WorldOptions{})
	own := w.Group(t, "own")
	remove := func(id string) error {
		_, err := w.EC2.DeleteSecurityGroup(t.Context(), &ec2.DeleteSecurityGroupInput{GroupId: &id})
		return err
	}
	allow := func(id string, permissions ...types.IpPermission) error {
		_, err := w.EC2.AuthorizeSecurityGroupIngress(t.Context(), &ec2.AuthorizeSecurityGroupIngressInput{GroupId: &id, IpPermissions: permissions})
		return err
	}
	web := permission("tcp", 80, types.IpRange{CidrIp: awssdk.String("0.0.0.0/0"), Description: awssdk.String("web")})
	wantCode(t, "allow", allow(own, web), "")
	web.IpRanges[0].Description = awssdk.String("another")
	wantCode(t, "the same with another description", allow(own, permission("tcp", 81, types.IpRange{CidrIp: awssdk.String("0.0.0.0/0")}), web), "InvalidPermission.Duplicate")
	wantCode(t, "tls is no protocol", allow(own, permission("tls", 80, types.IpRange{CidrIp: awssdk.String("0.0.0.0/0")})), "InvalidParameterValue")
	if rules := ingress(t, w, own); len(rules) != 1 {
		t.Errorf("a refused request left rules: %+v", rules)
	}
	reference := types.IpPermission{IpProtocol: awssdk.String("-1"), UserIdGroupPairs: []types.UserIdGroupPair{{GroupId: &own}}}
	wantCode(t, "allow a group", allow(w.NodeGroup, reference), "")
	rules := ingress(t, w, w.NodeGroup)
	if len(rules) != 1 || *rules[0].UserIdGroupPairs[0].GroupId != own || rules[0].FromPort != nil {
		t.Errorf("rules of the nodes: %+v", rules)
	}
	filter := []types.Filter{{Name: awssdk.String("ip-permission.group-id"), Values: []string{own}}}
	if found := must(w.EC2.DescribeSecurityGroups(t.Context(), &ec2.DescribeSecurityGroupsInput{Filters: filter}))(t); len(found.SecurityGroups) != 1 {
		t.Errorf("by the group in their rules: %+v", found.SecurityGroups)
	}
	wantCode(t, "delete what a rule refers to", remove(own), "DependencyViolation")
	revoke := &ec2.RevokeSecurityGroupIngressInput{GroupId: &w.NodeGroup, IpPermissions: []types.IpPermission{reference}}
	_, err := w.EC2.RevokeSecurityGroupIngress(t.Context(), revoke)
	wantCode(t, "revoke", err, "")
	_, err = w.EC2.RevokeSecurityGroupIngress(t.Context(), revoke)
	wantCode(t, "revoke again", err, "InvalidPermission.NotFound")
	_, err = w.Classic.CreateLoadBalancer(t.Context(), &elasticloadbalancing.CreateLoadBalancerInput{
		LoadBalancerName: awssdk.String("a"), Subnets: w.Public[:1], SecurityGroups: []string{own}, Listeners: []classic.Listener{listener("TCP", 80, 30080)},
	})
	wantCode(t, "create a balancer", err, "")
	wantCode(t, "delete the group of a balancer", remove(own), "DependencyViolation")
	must(w.Classic.DeleteLoadBalancer(t.Context(), &elasticloadbalancing.DeleteLoadBalancerInput{LoadBalancerName: awssdk.String("a")}))(t)
	wantCode(t, "delete", remove(own), "")
	wantCode(t, "delete again", remove(own), "InvalidGroup.NotFound")
	instance := w.Boot(t, aws.MachineOptions{})
	wantCode(t, "delete the group of an instance", remove(w.NodeGroup), "DependencyViolation")
	w.Terminate(t, instance...)
	wantCode(t, "after its end", remove(w.NodeGroup), "")
	_, err = w.EC2.CreateSecurityGroup(t.Context(), &ec2.CreateSecurityGroupInput{VpcId: &w.VPC, GroupName: awssdk.String("default"), Description: awssdk.String("d")})
	wantCode(t, "a name that is taken", err, "InvalidGroup.Duplicate")
}

func permission(protocol string, port int32, sources ...types.IpRange) types.IpPermission {
	return types.IpPermission{IpProtocol: &protocol, FromPort: &port, ToPort: &port, IpRanges: sources}
}

func ingress(t *testing.T, w *aws.World, group string) []types.IpPermission {
	t.Helper()
	return must(w.EC2.DescribeSecurityGroups(t.Context(), &ec2.DescribeSecurityGroupsInput{GroupIds: []string{group}}))(t).SecurityGroups[0].IpPermissions
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	w := aws.NewWorld(t, aws.WorldOptions{Zones: 1, IPv6: true})
	id := w.Boot(t, aws.MachineOptions{})[0]
	four := &ec2.CreateRouteInput{RouteTableId: &w.PodTable, DestinationCidrBlock: awssdk.String("10.244.1.0/24"), InstanceId: &id}
	six := &ec2.CreateRouteInput{RouteTableId: &w.PodTable, DestinationIpv6CidrBlock: awssdk.String("fd00:1::/64"), InstanceId: &id}
	for i, want := range []string{"", "RouteAlreadyExists"} {
		for _, input := range []*ec2.CreateRouteInput{four, six} {
			_, err := w.EC2.CreateRoute(t.Context(), input)
			wantCode(t, fmt.Sprintf("route %d", i), err, want)
		}
	}
	for _, want := range []types.RouteState{types.RouteStateActive, types.RouteStateBlackhole} {
		table := must(w.EC2.DescribeRouteTables(t.Context(), &ec2.DescribeRouteTablesInput{RouteTableIds: []string{w.PodTable}}))(t).RouteTables[0]
		found := 0
		for _, route := range table.Routes {
			if awssdk.ToString(route.InstanceId) == id && route.State == want {
				found++
			}
		}
		if found != 2 {
			t.Errorf("%d routes are %s, want 2: %+v", found, want, table.Routes)
		}
		w.Terminate(t, id)
	}
	_, err := w.EC2.DeleteRoute(t.Context(), &ec2.DeleteRouteInput{RouteTableId: &w.PodTable, DestinationIpv6CidrBlock: six.DestinationIpv6CidrBlock})
	wantCode(t, "delete", err, "")
	_, err = w.EC2.DeleteRoute(t.Context(), &ec2.DeleteRouteInput{RouteTableId: &w.PodTable, DestinationCidrBlock: awssdk.String("10.9.0.0/16")})
	wantCode(t, "delete what is not there", err, "InvalidRoute.NotFound")
	_, err = w.EC2.CreateRoute(t.Context(), &ec2.CreateRouteInput{RouteTableId: &w.PodTable, DestinationCidrBlock: awssdk.String("10.244.3.0/24"), InstanceId: &id})
	wantCode(t, "a route to what is terminated", err, "InvalidInstanceID.NotFound")
}

func TestOtherComputeActions(t *testing.T) {
	t.Parallel()
	w := aws.NewWorld(t, aws.WorldOptions{Zones: 1})
	id := w.Boot(t, aws.MachineOptions{})[0]
	_, err := w.EC2.ModifyInstanceAttribute(t.Context(), &ec2.ModifyInstanceAttributeInput{InstanceId: &id, SourceDestCheck: &types.AttributeBooleanValue{Value: awssdk.Bool(false)}})
	wantCode(t, "SourceDestCheck", err, "")
	if instance := w.Instance(t, id); *instance.SourceDestCheck || *instance.NetworkInterfaces[0].SourceDestCheck {
		t.Errorf("SourceDestCheck is %t, of the interface %t", *instance.SourceDestCheck, *instance.NetworkInterfaces[0].SourceDestCheck)
	}
	zones := must(w.EC2.DescribeAvailabilityZones(t.Context(), &ec2.DescribeAvailabilityZonesInput{}))(t).AvailabilityZones
	if len(zones) != 3 || awssdk.ToString(zones[0].ZoneId) == "" || awssdk.ToString(zones[0].ZoneType) != "availability-zone" {
		t.Errorf("zones %+v", zones)
	}
	filters := []types.Filter{{Name: awssdk.String("vpc-id"), Values: []string{w.VPC}}, {Name: awssdk.String("private-ip-address"), Values: []string{*w.Instance(t, id).PrivateIpAddress}}, {Name: awssdk.String("attachment.status"), Values: []string{"attached"}}}
	enis, err := w.EC2.DescribeNetworkInterfaces(t.Context(), &ec2.DescribeNetworkInterfacesInput{Filters: filters})
	if err != nil || len(enis.NetworkInterfaces) != 1 {
		t.Errorf("interfaces %+v, %v", enis, err)
	}
	w.Tag(t, id, aws.Tag("team", "shop"))
	w.Untag(t, id, "team")
	_, err = w.EC2.CreateTags(t.Context(), &ec2.CreateTagsInput{Resources: []string{"i-0123456789abcdef0"}, Tags: []types.Tag{aws.Tag("a", "b")}})
	wantCode(t, "tag what is not there", err, "InvalidInstanceID.NotFound")
	w.Stop(t, id)
	if state := w.Instance(t, id).State.Name; state != types.InstanceStateNameStopped {
		t.Errorf("state %s", state)
	}
}
