package nlb

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// A rule that another balancer's health checks need stays when the one goes that it was made for, whatever that is called: "net"
// is in the ARN of every network balancer.
func TestNewOwner(t *testing.T) {
	const arn = "arn:aws:elasticloadbalancing:eu-west-1:1:loadbalancer/net/"
	surroundings := ec2.New(ec2.Options{APIOptions: ec2test.Answering(func(input any) (any, error) {
		switch input.(type) {
		case *ec2.DescribeSubnetsInput:
			return &ec2.DescribeSubnetsOutput{Subnets: []ec2types.Subnet{{SubnetId: aws.String("subnet-1"), CidrBlock: aws.String("10.0.0.0/24")}}}, nil
		case *ec2.DescribeRouteTablesInput:
			return &ec2.DescribeRouteTablesOutput{RouteTables: []ec2types.RouteTable{}}, nil
		case *ec2.DescribeAvailabilityZonesInput:
			return &ec2.DescribeAvailabilityZonesOutput{AvailabilityZones: []ec2types.AvailabilityZone{}}, nil
		}
		return nil, fmt.Errorf("nothing answers %T", input)
	})})
	cluster := tag.Cluster{ID: "c", VPC: "vpc-1"}
	network := func(ctx context.Context) (*vpc.Network, error) {
		return (&vpc.Reader{Cluster: cluster, Client: surroundings}).ReadNetwork(ctx)
	}
	for name, test := range map[string]struct {
		goes   string
		there  []string
		port   int
		source string
		next   string
	}{
		"another checks the port": {"shop", []string{"shop", "web"}, 10256, "10.0.0.0/24", ruleHealth + "web"},
		"its name is net":         {"net", []string{"net", "web"}, 10256, "10.0.0.0/24", ruleHealth + "web"},
		"no other":                {"net", []string{"net"}, 10256, "10.0.0.0/24", ""},
		"another port":            {"shop", []string{"shop", "web"}, 30080, "10.0.0.0/24", ""},
		"no subnet of ours":       {"shop", []string{"shop", "web"}, 10256, "192.0.2.0/24", ""},
	} {
		client := sdk.New(sdk.Options{APIOptions: ec2test.Answering(func(input any) (any, error) {
			groups, balancers := &sdk.DescribeTargetGroupsOutput{}, &sdk.DescribeLoadBalancersOutput{}
			for _, lb := range test.there {
				id := arn + lb + "/1"
				groups.TargetGroups = append(groups.TargetGroups, types.TargetGroup{HealthCheckPort: aws.String("10256"), LoadBalancerArns: []string{id}})
				balancers.LoadBalancers = append(balancers.LoadBalancers, types.LoadBalancer{
					LoadBalancerName: &lb, LoadBalancerArn: &id, VpcId: &cluster.VPC, Type: types.LoadBalancerTypeEnumNetwork,
					AvailabilityZones: []types.AvailabilityZone{{SubnetId: aws.String("subnet-1")}},
				})
			}
			if _, is := input.(*sdk.DescribeTargetGroupsInput); is {
				return groups, nil
			}
			return balancers, nil
		})})
		n := &Balancers{Settings: desired.Settings{Cluster: cluster}, Client: client, Targets: &targetgroup.Groups{Cluster: cluster, Client: client}}
		needed, next, err := n.newOwners(t.Context(), &Snapshot{Network: network}, test.goes)("sg-1", packetfilter.Port(cloud.ProtocolTCP, test.port, packetfilter.Network(test.source)))
		if err != nil || next != test.next || needed != (test.next != "") {
			t.Errorf("%s: needed %t by %q, %v, want %q", name, needed, next, err, test.next)
		}
	}
}
