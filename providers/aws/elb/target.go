package elb

import (
	"context"
	"errors"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// register adds targets. One that does not exist any more is tried again later, and the others are
// registered.
func (e *Balancers) register(ctx context.Context, wanted []cloud.Resource) error {
	var gone []cloud.Warning
	err := inHalves(wanted, func(list []types.Instance) error {
		_, err := e.client.RegisterInstancesWithLoadBalancer(ctx, &sdk.RegisterInstancesWithLoadBalancerInput{LoadBalancerName: nameOf(wanted[0]), Instances: list})
		if len(list) == 1 && isNoInstance(err) {
			gone = append(gone, cloud.Warning{Message: "instance " + *list[0].InstanceId + " is not registered: " + err.Error()})
			return nil
		}
		return err
	})
	if err == nil && len(gone) > 0 {
		return &cloud.Waiting{After: retryAfter, Warnings: gone}
	}
	return err
}

// deregister removes targets. One that does not exist any more is none.
func (e *Balancers) deregister(ctx context.Context, present []cloud.Resource) error {
	return inHalves(present, func(list []types.Instance) error {
		_, err := e.client.DeregisterInstancesFromLoadBalancer(ctx, &sdk.DeregisterInstancesFromLoadBalancerInput{LoadBalancerName: nameOf(present[0]), Instances: list})
		if len(list) == 1 && isNoInstance(err) {
			return nil
		}
		return err
	})
}

// inHalves makes one call for all instances. AWS refuses it when one does not exist any more;
// then it is made for each half.
func inHalves(targets []cloud.Resource, call func([]types.Instance) error) error {
	list := make([]types.Instance, len(targets))
	for i, target := range targets {
		list[i] = types.Instance{InstanceId: &target.Key}
	}
	err := call(list)
	if len(list) == 1 || !isNoInstance(err) {
		return err
	}
	half := len(targets) / 2
	return errors.Join(inHalves(targets[:half], call), inHalves(targets[half:], call))
}

// isNoInstance recognises AWS's answer that an instance does not exist.
func isNoInstance(err error) bool {
	_, missing := errors.AsType[*types.InvalidEndPointException](err)
	return missing
}
