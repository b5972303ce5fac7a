package elb

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// createPolicy makes a policy. One is never changed, so that its name says what it is. Types and attributes are those of
// DescribeLoadBalancerPolicyTypes.
func (e *Balancers) createPolicy(ctx context.Context, r cloud.Resource, _ []string) error {
	kind, attribute, value := "ProxyProtocolPolicyType", "ProxyProtocol", "true"
	if like, tls := strings.CutPrefix(r.Key, tlsPolicyPrefix); tls {
		kind, attribute, value = "SSLNegotiationPolicyType", "Reference-Security-Policy", like
	}
	_, err := e.Client.CreateLoadBalancerPolicy(ctx, &sdk.CreateLoadBalancerPolicyInput{
		LoadBalancerName: nameOf(r), PolicyName: &r.Key, PolicyTypeName: &kind,
		PolicyAttributes: []types.PolicyAttribute{{AttributeName: &attribute, AttributeValue: &value}},
	})
	return err
}

func (e *Balancers) configureHealth(ctx context.Context, r cloud.Resource, _ []string) error {
	h := fieldCheck.Of(r)
	_, err := e.Client.ConfigureHealthCheck(ctx, &sdk.ConfigureHealthCheckInput{
		LoadBalancerName: nameOf(r),
		HealthCheck: &types.HealthCheck{
			Target: new(checkTarget(h)), Interval: new(int32(h.Interval / time.Second)), Timeout: new(int32(h.Timeout / time.Second)),
			HealthyThreshold: new(int32(h.Healthy)), UnhealthyThreshold: new(int32(h.Unhealthy)), //nolint:gosec // at most 10
		},
	})
	return err
}

// checkTarget is what a check asks for, as AWS writes it: "HTTP:10256/healthz".
func checkTarget(h cloud.Health) string {
	return fmt.Sprintf("%s:%d%s", h.Protocol, h.Port, h.Path)
}

// modifyAttributes writes some of the attributes in one request.
func (e *Balancers) modifyAttributes(ctx context.Context, r cloud.Resource, fields []string) error {
	var a types.LoadBalancerAttributes
	for _, field := range fields {
		switch field {
		case attributeCrossZone.Name():
			a.CrossZoneLoadBalancing = &types.CrossZoneLoadBalancing{Enabled: attributeCrossZone.Of(r) == "true"}
		case attributeLog.Name():
			value := attributeLog.Of(r)
			a.AccessLog = &types.AccessLog{Enabled: value[0] == "true", EmitInterval: parse32(value[1])}
			if a.AccessLog.Enabled {
				a.AccessLog.S3BucketName, a.AccessLog.S3BucketPrefix = &value[2], &value[3]
			}
		case attributeDraining.Name():
			value := attributeDraining.Of(r)
			a.ConnectionDraining = &types.ConnectionDraining{Enabled: value[0] == "true", Timeout: parse32(value[1])}
		case attributeIdle.Name():
			a.ConnectionSettings = &types.ConnectionSettings{IdleTimeout: parse32(attributeIdle.Of(r))}
		}
	}
	_, err := e.Client.ModifyLoadBalancerAttributes(ctx, &sdk.ModifyLoadBalancerAttributesInput{LoadBalancerName: nameOf(r), LoadBalancerAttributes: &a})
	return err
}

// parse32 is number32 the other way round.
func parse32(text string) *int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return nil
	}
	return new(int32(n))
}
