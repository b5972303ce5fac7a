package elb

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// Policies of classic balancers, with upstream's names.
const (
	// proxyPolicy is set for node ports where connections begin with a PROXY protocol header.
	proxyPolicy = "k8s-proxyprotocol-enabled"
	// tlsPolicyPrefix and the name of a predefined policy are the name of a policy like that one.
	tlsPolicyPrefix = "k8s-SSLNegotiationPolicy-"
)

// Types of policies and their attributes (DescribeLoadBalancerPolicyTypes).
const (
	policyTypeProxy = "ProxyProtocolPolicyType"
	policyTypeTLS   = "SSLNegotiationPolicyType"
	attributeOn     = "ProxyProtocol"
	attributeLike   = "Reference-Security-Policy"
)

// createPolicy makes a policy. One is never changed, so that its name says what it is.
func (e *Balancers) createPolicy(ctx context.Context, r cloud.Resource, _ []string) error {
	kind, attribute, value := policyTypeProxy, attributeOn, "true"
	if like, tls := strings.CutPrefix(r.Key, tlsPolicyPrefix); tls {
		kind, attribute, value = policyTypeTLS, attributeLike, like
	}
	_, err := e.Client.CreateLoadBalancerPolicy(ctx, &sdk.CreateLoadBalancerPolicyInput{
		LoadBalancerName: nameOf(r), PolicyName: &r.Key, PolicyTypeName: &kind,
		PolicyAttributes: []types.PolicyAttribute{{AttributeName: &attribute, AttributeValue: &value}},
	})
	return err
}

func (e *Balancers) setListenerPolicies(ctx context.Context, r cloud.Resource, _ []string) error {
	_, err := e.Client.SetLoadBalancerPoliciesOfListener(ctx, &sdk.SetLoadBalancerPoliciesOfListenerInput{
		LoadBalancerName: nameOf(r), LoadBalancerPort: *parse32(r.Key), PolicyNames: values(fieldPolicies, r),
	})
	return err
}

// setNodePortPolicies sets the policies of a node port, without the proxy policy where that goes.
func (e *Balancers) setNodePortPolicies(ctx context.Context, r cloud.Resource, changed []string) error {
	names := values(fieldPolicies, r)
	if len(changed) == 0 {
		names = names[:len(names)-1]
	}
	_, err := e.Client.SetLoadBalancerPoliciesForBackendServer(ctx, &sdk.SetLoadBalancerPoliciesForBackendServerInput{
		LoadBalancerName: nameOf(r), InstancePort: parse32(r.Key), PolicyNames: names,
	})
	return err
}

// fieldCheck is the health check as a whole, which one request writes.
const fieldCheck = "HealthCheck"

// checkTarget is what a check asks for, as AWS writes it: "HTTP:10256/healthz".
func checkTarget(h cloud.Health) string {
	return fmt.Sprintf("%s:%d%s", h.Protocol, h.Port, h.Path)
}

func (e *Balancers) configureHealth(ctx context.Context, r cloud.Resource, _ []string) error {
	h, _ := r.Fields[fieldCheck].(cloud.Health)
	_, err := e.Client.ConfigureHealthCheck(ctx, &sdk.ConfigureHealthCheckInput{
		LoadBalancerName: nameOf(r),
		HealthCheck: &types.HealthCheck{
			Target: new(checkTarget(h)), Interval: balancer.Seconds(h.Interval), Timeout: balancer.Seconds(h.Timeout),
			HealthyThreshold: new(int32(h.Healthy)), UnhealthyThreshold: new(int32(h.Unhealthy)), //nolint:gosec // at most 10
		},
	})
	return err
}

// modifyAttributes writes some of the attributes in one request.
func (e *Balancers) modifyAttributes(ctx context.Context, r cloud.Resource, fields []string) error {
	var a types.LoadBalancerAttributes
	for _, field := range fields {
		value, _ := r.Fields[field].([]string)
		switch field {
		case attributeCrossZone:
			a.CrossZoneLoadBalancing = &types.CrossZoneLoadBalancing{Enabled: value[0] == "true"}
		case attributeLog:
			a.AccessLog = &types.AccessLog{Enabled: value[0] == "true", EmitInterval: parse32(value[1])}
			if a.AccessLog.Enabled {
				a.AccessLog.S3BucketName, a.AccessLog.S3BucketPrefix = &value[2], &value[3]
			}
		case attributeDraining:
			a.ConnectionDraining = &types.ConnectionDraining{Enabled: value[0] == "true", Timeout: parse32(value[1])}
		case attributeIdle:
			a.ConnectionSettings = &types.ConnectionSettings{IdleTimeout: parse32(value[0])}
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

// register adds targets. One that does not exist any more is tried again later, and the others are
// registered.
func (e *Balancers) register(ctx context.Context, wanted []cloud.Resource) error {
	var gone []cloud.Warning
	err := failure.Halves(instanceList(wanted), isNoInstance, func(list []types.Instance) error {
		_, err := e.Client.RegisterInstancesWithLoadBalancer(ctx, &sdk.RegisterInstancesWithLoadBalancerInput{LoadBalancerName: nameOf(wanted[0]), Instances: list})
		return err
	}, func(one types.Instance, err error) {
		gone = append(gone, cloud.Warning{Message: "instance " + *one.InstanceId + " is not registered: " + err.Error()})
	})
	if err == nil && len(gone) > 0 {
		return &cloud.Waiting{After: retryAfter, Warnings: gone}
	}
	return err
}

// deregister removes targets. One that does not exist any more is none.
func (e *Balancers) deregister(ctx context.Context, present []cloud.Resource) error {
	return failure.Halves(instanceList(present), isNoInstance, func(list []types.Instance) error {
		_, err := e.Client.DeregisterInstancesFromLoadBalancer(ctx, &sdk.DeregisterInstancesFromLoadBalancerInput{LoadBalancerName: nameOf(present[0]), Instances: list})
		return err
	}, func(types.Instance, error) {})
}

func instanceList(targets []cloud.Resource) []types.Instance {
	list := make([]types.Instance, len(targets))
	for i, target := range targets {
		list[i] = types.Instance{InstanceId: &target.Key}
	}
	return list
}

// isNoInstance recognises AWS's answer that an instance does not exist.
func isNoInstance(err error) bool {
	_, missing := errors.AsType[*types.InvalidEndPointException](err)
	return missing
}
