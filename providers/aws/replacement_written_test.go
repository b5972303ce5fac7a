package aws

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	classic "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	classictypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	network "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/session"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// place answers as a VPC does that has a subnet, and nothing in it.
func place(input any) (any, error) {
	leads := ec2types.RouteTable{
		Associations: []ec2types.RouteTableAssociation{{Main: new(true)}}, Routes: []ec2types.Route{{GatewayId: new("igw-1")}},
	}
	subnet := ec2types.Subnet{SubnetId: new("subnet-1"), AvailabilityZone: new("eu-west-1a"), VpcId: new("vpc-1"), CidrBlock: new("10.0.0.0/16")}
	switch input.(type) {
	case *ec2.DescribeSubnetsInput:
		return &ec2.DescribeSubnetsOutput{Subnets: []ec2types.Subnet{subnet}}, nil
	case *ec2.DescribeRouteTablesInput:
		return &ec2.DescribeRouteTablesOutput{RouteTables: []ec2types.RouteTable{leads}}, nil
	case *ec2.DescribeAvailabilityZonesInput:
		return &ec2.DescribeAvailabilityZonesOutput{AvailabilityZones: []ec2types.AvailabilityZone{{ZoneName: new("eu-west-1a")}}}, nil
	case *ec2.DescribeSecurityGroupsInput:
		return &ec2.DescribeSecurityGroupsOutput{SecurityGroups: []ec2types.SecurityGroup{}}, nil
	case *classic.DescribeLoadBalancersInput:
		return &classic.DescribeLoadBalancersOutput{LoadBalancerDescriptions: []classictypes.LoadBalancerDescription{}}, nil
	case *network.DescribeLoadBalancersInput:
		return &network.DescribeLoadBalancersOutput{LoadBalancers: []networktypes.LoadBalancer{}}, nil
	case *network.DescribeTargetGroupsInput:
		return &network.DescribeTargetGroupsOutput{TargetGroups: []networktypes.TargetGroup{}}, nil
	}
	return nil, fmt.Errorf("nothing answers %T", input)
}

// TestWritten: what is on Services and in plans is read by later versions.
func TestWritten(t *testing.T) {
	answers := ec2test.Answering(place)
	d := wire(session.Clients{
		Compute: ec2.New(ec2.Options{APIOptions: answers}), Classic: classic.New(classic.Options{APIOptions: answers}),
		Network: network.New(network.Options{APIOptions: answers}),
	}, config.Config{ClusterName: "kubernetes", Cluster: tag.Cluster{ID: "prod", VPC: "vpc-1"}})
	before, err := d.Observe(t.Context(), cloud.Input{Spec: cloud.Spec{Owner: cloud.Owner{UID: "u"}}})
	if err != nil {
		t.Fatal(err)
	}
	conformance.Written{
		Driver: d.handOver(), Descriptor: Descriptor(), Annotations: Annotations(), ID: "balancer-%d",
		Before:      before,
		To:          map[string]string{option.Type.Name: option.TypeNetwork, option.Internal.Name: "true", option.Name.Name: "shop"},
		Replacement: `{"request":"4c8dc78fea685d9436bda1e600b7473a5350282a9448b0f624f1ff07826cca7c","of":"balancer-1","was":{"name":"a8b5a3c1e000040008000123456789ab","scope":"external","type":"classic"}}`,
		Services: []map[string]string{
			{
				option.Certificate.Name: "arn:aws:acm:eu-west-1:1:certificate/a", option.TLSPorts.Name: "443", option.TLSPolicy.Name: "ELBSecurityPolicy-2015-05",
				option.ProxyProtocol.Name: "true", option.Log.Name: "true", option.LogBucket.Name: "logs",
				option.HealthProtocol.Name: "HTTP", option.Tags.Name: "team=shop", option.Draining.Name: "true", option.CrossZone.Name: "true",
			},
			{
				option.Type.Name: option.TypeNetwork, option.Certificate.Name: "arn:aws:acm:eu-west-1:1:certificate/a,arn:aws:acm:eu-west-1:1:certificate/b",
				option.TLSPorts.Name: "443", option.Log.Name: "true", option.LogBucket.Name: "logs", option.IdleTimeout.Name: "90", option.GroupMode.Name: "managed",
				option.HealthProtocol.Name: "HTTP", option.Tags.Name: "team=shop", option.CrossZone.Name: "true", option.Protection.Name: "true", option.LogPrefix.Name: "shop",
				option.TargetAttributes.Name: "preserve_client_ip.enabled=false,proxy_protocol_v2.enabled=true",
			},
		},
		Fields: `
			balancer: accessLog accessLogBucket accessLogInterval accessLogPrefix allow connectionDraining connectionDrainingTimeout crossZone
				deletionProtection deny dualStack health.healthy health.interval health.path health.port health.protocol health.timeout health.unhealthy
				idleTimeout marks name scope securityGroups subnets tags type
			listener: certificates health.healthy health.interval health.path health.port health.protocol health.timeout health.unhealthy idleTimeout
				preserveClientIP protocol proxyProtocol stickiness targetPort targetProtocol targetType tlsPolicy
			resource attributes of a classic load balancer: AccessLog ConnectionDraining ConnectionSettings CrossZoneLoadBalancing LoadBalancerName
			resource attributes of a network load balancer: LoadBalancerArn access_logs.s3.bucket access_logs.s3.enabled access_logs.s3.prefix
				deletion_protection.enabled load_balancing.cross_zone.enabled
			resource attributes of a target group: TargetGroupArn preserve_client_ip.enabled proxy_protocol_v2.enabled
			resource certificate of a network load balancer: Certificates ListenerArn
			resource classic load balancer: Tags
			resource health check of a classic load balancer: HealthCheck LoadBalancerName
			resource idle timeout of a listener: ListenerArn tcp.idle_timeout.seconds
			resource instance of a classic load balancer: LoadBalancerName
			resource listener of a classic load balancer: InstancePort InstanceProtocol LoadBalancerName Protocol SSLCertificateId
			resource listener of a network load balancer: Certificates LoadBalancerArn Port Protocol SslPolicy Tags TargetGroupArn transport
			resource network load balancer: IpAddressType SecurityGroups SubnetMappings SubnetMappings,_then_IpAddressType Tags
			resource policies of a listener: LoadBalancerName PolicyNames
			resource policies of a node port: Listener LoadBalancerName PolicyNames
			resource policy of a classic load balancer: LoadBalancerName
			resource security group: Tags
			resource security group rule: Description Group
			resource security group tags:
			resource security groups of a classic load balancer: LoadBalancerName SecurityGroups
			resource subnet of a classic load balancer: LoadBalancerName SubnetId
			resource tag of a network load balancer with idle timeouts: LoadBalancerArn
			resource tags of a classic load balancer:
			resource tags of a network load balancer:
			resource target: TargetGroupArn
			resource target group: HealthCheckIntervalSeconds HealthCheckPath HealthCheckPort HealthCheckProtocol HealthCheckTimeoutSeconds
				HealthyThresholdCount Tags UnhealthyThresholdCount
		`,
	}.Check(t)
}
