package elb

import (
	"context"
	"errors"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

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
