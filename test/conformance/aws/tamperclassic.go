package aws

import (
	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	api "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var ofClassic = map[string]tampering{
	cloud.FieldOwnershipTags: func(c *Control, id string) error {
		_, err := c.Classic.RemoveTags(c.Context(), &api.RemoveTagsInput{LoadBalancerNames: []string{id}, Tags: []types.TagKeyOnly{{Key: awssdk.String("kubernetes.io/service-name")}}})
		return err
	},
	"subnets": func(c *Control, id string) error {
		_, err := c.Classic.DetachLoadBalancerFromSubnets(c.Context(), &api.DetachLoadBalancerFromSubnetsInput{LoadBalancerName: &id, Subnets: c.Public[:1]})
		return err
	},
	"securityGroups": func(c *Control, id string) error {
		_, err := c.Classic.ApplySecurityGroupsToLoadBalancer(c.Context(), &api.ApplySecurityGroupsToLoadBalancerInput{LoadBalancerName: &id, SecurityGroups: c.rest.groups})
		return err
	},
	"crossZone":          attribute(types.LoadBalancerAttributes{CrossZoneLoadBalancing: &types.CrossZoneLoadBalancing{Enabled: true}}),
	"connectionDraining": attribute(types.LoadBalancerAttributes{ConnectionDraining: &types.ConnectionDraining{Enabled: true}}),
	"idleTimeout":        attribute(types.LoadBalancerAttributes{ConnectionSettings: &types.ConnectionSettings{IdleTimeout: awssdk.Int32(9)}}),
	"accessLog":          attribute(types.LoadBalancerAttributes{AccessLog: &types.AccessLog{Enabled: true, S3BucketName: awssdk.String("logs")}}),

	"health.protocol":  check(func(h *types.HealthCheck) { h.Target = awssdk.String("SSL:30080") }),
	"health.port":      check(func(h *types.HealthCheck) { h.Target = awssdk.String("TCP:30099") }),
	"health.interval":  check(func(h *types.HealthCheck) { h.Interval = awssdk.Int32(77) }),
	"health.timeout":   check(func(h *types.HealthCheck) { h.Timeout = awssdk.Int32(3) }),
	"health.healthy":   check(func(h *types.HealthCheck) { h.HealthyThreshold = awssdk.Int32(9) }),
	"health.unhealthy": check(func(h *types.HealthCheck) { h.UnhealthyThreshold = awssdk.Int32(9) }),

	"protocol":       listener("HTTP", 30080),
	"targetProtocol": listener("HTTP", 30080),
	"targetPort":     listener("TCP", 30099),
	"proxyProtocol": func(c *Control, id string) error {
		name := awssdk.String("k8s-proxyprotocol-enabled")
		_, err := c.Classic.CreateLoadBalancerPolicy(c.Context(), &api.CreateLoadBalancerPolicyInput{
			LoadBalancerName: &id, PolicyName: name, PolicyTypeName: awssdk.String("ProxyProtocolPolicyType"),
			PolicyAttributes: []types.PolicyAttribute{{AttributeName: awssdk.String("ProxyProtocol"), AttributeValue: awssdk.String("true")}},
		})
		if err != nil {
			return err
		}
		_, err = c.Classic.SetLoadBalancerPoliciesForBackendServer(c.Context(), &api.SetLoadBalancerPoliciesForBackendServerInput{LoadBalancerName: &id, InstancePort: awssdk.Int32(30080), PolicyNames: []string{*name}})
		return err
	},
}

// attribute changes some of a balancer's attributes.
func attribute(to types.LoadBalancerAttributes) tampering {
	return func(c *Control, id string) error {
		_, err := c.Classic.ModifyLoadBalancerAttributes(c.Context(), &api.ModifyLoadBalancerAttributesInput{LoadBalancerName: &id, LoadBalancerAttributes: &to})
		return err
	}
}

// check changes a part of the health check.
func check(edit func(*types.HealthCheck)) tampering {
	return func(c *Control, id string) error {
		read, err := c.Classic.DescribeLoadBalancers(c.Context(), &api.DescribeLoadBalancersInput{LoadBalancerNames: []string{id}})
		if err != nil {
			return err
		}
		health := read.LoadBalancerDescriptions[0].HealthCheck
		edit(health)
		_, err = c.Classic.ConfigureHealthCheck(c.Context(), &api.ConfigureHealthCheckInput{LoadBalancerName: &id, HealthCheck: health})
		return err
	}
}

// listener puts another in the place of the one at port 80.
func listener(protocol string, port int32) tampering {
	return func(c *Control, id string) error {
		_, err := c.Classic.DeleteLoadBalancerListeners(c.Context(), &api.DeleteLoadBalancerListenersInput{LoadBalancerName: &id, LoadBalancerPorts: []int32{80}})
		if err != nil {
			return err
		}
		other := types.Listener{Protocol: &protocol, InstanceProtocol: &protocol, LoadBalancerPort: 80, InstancePort: &port}
		_, err = c.Classic.CreateLoadBalancerListeners(c.Context(), &api.CreateLoadBalancerListenersInput{LoadBalancerName: &id, Listeners: []types.Listener{other}})
		return err
	}
}
