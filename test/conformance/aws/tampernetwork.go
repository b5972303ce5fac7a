package aws

import (
	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	api "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var ofNetwork = map[string]tampering{
	cloud.FieldOwnershipTags: func(c *Control, id string) error {
		_, err := c.Network.RemoveTags(c.Context(), &api.RemoveTagsInput{ResourceArns: []string{id}, TagKeys: []string{"kubernetes.io/service-name"}})
		return err
	},
	"subnets": func(c *Control, id string) error {
		_, err := c.Network.SetSubnets(c.Context(), &api.SetSubnetsInput{LoadBalancerArn: &id, Subnets: c.Public[:2]})
		return err
	},
	cloud.FieldDualStack: func(c *Control, id string) error {
		_, err := c.Network.SetIpAddressType(c.Context(), &api.SetIpAddressTypeInput{LoadBalancerArn: &id, IpAddressType: types.IpAddressTypeDualstack})
		return err
	},
	"security group rule": func(c *Control, _ string) error { // one too many for the balancer
		_, err := c.EC2.AuthorizeSecurityGroupIngress(c.Context(), &ec2.AuthorizeSecurityGroupIngressInput{
			GroupId: &c.NodeGroup, IpPermissions: []ec2types.IpPermission{{
				IpProtocol: awssdk.String("tcp"), FromPort: awssdk.Int32(30099), ToPort: awssdk.Int32(30099),
				IpRanges: []ec2types.IpRange{{CidrIp: awssdk.String("0.0.0.0/0"), Description: c.clientRule()}},
			}},
		})
		return err
	},
	"crossZone":          balancerAttribute("load_balancing.cross_zone.enabled", "true"),
	"deletionProtection": balancerAttribute("deletion_protection.enabled", "true"),
	"accessLog":          balancerAttribute("access_logs.s3.bucket", "logs", "access_logs.s3.enabled", "true"),

	"health.protocol":  groupCheck(api.ModifyTargetGroupInput{HealthCheckProtocol: types.ProtocolEnumHttp}),
	"health.port":      groupCheck(api.ModifyTargetGroupInput{HealthCheckPort: awssdk.String("30099")}),
	"health.interval":  groupCheck(api.ModifyTargetGroupInput{HealthCheckIntervalSeconds: awssdk.Int32(77)}),
	"health.timeout":   groupCheck(api.ModifyTargetGroupInput{HealthCheckTimeoutSeconds: awssdk.Int32(3)}),
	"health.healthy":   groupCheck(api.ModifyTargetGroupInput{HealthyThresholdCount: awssdk.Int32(9)}),
	"health.unhealthy": groupCheck(api.ModifyTargetGroupInput{UnhealthyThresholdCount: awssdk.Int32(9)}),
	"preserveClientIP": groupAttribute("preserve_client_ip.enabled", "false"),
	"proxyProtocol":    groupAttribute("proxy_protocol_v2.enabled", "true"),
	"stickiness":       groupAttribute("stickiness.enabled", "true"),
}

// balancerAttribute changes attributes of a balancer: names and values.
func balancerAttribute(pairs ...string) tampering {
	return func(c *Control, id string) error {
		input := &api.ModifyLoadBalancerAttributesInput{LoadBalancerArn: &id}
		for i := 0; i < len(pairs); i += 2 {
			input.Attributes = append(input.Attributes, types.LoadBalancerAttribute{Key: &pairs[i], Value: &pairs[i+1]})
		}
		_, err := c.Network.ModifyLoadBalancerAttributes(c.Context(), input)
		return err
	}
}

// group is the target group of the listener at port 80.
func (c *Control) group(balancer string) (string, error) {
	listeners, err := c.Network.DescribeListeners(c.Context(), &api.DescribeListenersInput{LoadBalancerArn: &balancer})
	if err != nil {
		return "", err
	}
	for _, l := range listeners.Listeners {
		if *l.Port == 80 {
			return *l.DefaultActions[0].TargetGroupArn, nil
		}
	}
	return "", nil
}

// groupCheck changes a target group's health check.
func groupCheck(input api.ModifyTargetGroupInput) tampering {
	return func(c *Control, id string) error {
		arn, err := c.group(id)
		if err != nil {
			return err
		}
		input.TargetGroupArn = &arn
		_, err = c.Network.ModifyTargetGroup(c.Context(), &input)
		return err
	}
}

// groupAttribute changes an attribute of a target group.
func groupAttribute(key, value string) tampering {
	return func(c *Control, id string) error {
		arn, err := c.group(id)
		if err != nil {
			return err
		}
		_, err = c.Network.ModifyTargetGroupAttributes(c.Context(), &api.ModifyTargetGroupAttributesInput{
			TargetGroupArn: &arn, Attributes: []types.TargetGroupAttribute{{Key: &key, Value: &value}},
		})
		return err
	}
}
