package elb

import (
	"context"
	"errors"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// setTargets adds targets, and then removes others.
func (c *update) setTargets(ctx context.Context) error {
	c.targeted = true
	have := c.lb().targets()
	err := inHalves(balancer.Missing(c.want.Targets, have), func(ids []types.Instance) error {
		_, err := c.client.RegisterInstancesWithLoadBalancer(ctx, &sdk.RegisterInstancesWithLoadBalancerInput{LoadBalancerName: c.lb().LoadBalancerName, Instances: ids})
		return failure.Wrap(err, "adding targets to classic balancer "+c.lb().name())
	})
	gone := inHalves(balancer.Missing(have, c.want.Targets), func(ids []types.Instance) error {
		_, err := c.client.DeregisterInstancesFromLoadBalancer(ctx, &sdk.DeregisterInstancesFromLoadBalancerInput{LoadBalancerName: c.lb().LoadBalancerName, Instances: ids})
		if len(ids) == 1 && isNoInstance(err) {
			return nil
		}
		return failure.Wrap(err, "removing targets from classic balancer "+c.lb().name())
	})
	return errors.Join(err, gone)
}

// inHalves makes one call for all instances. AWS refuses it when one does not exist any more;
// then it is made for each half.
func inHalves(ids []cloud.InstanceID, call func([]types.Instance) error) error {
	if len(ids) == 0 {
		return nil
	}
	var list []types.Instance
	for _, id := range ids {
		list = append(list, types.Instance{InstanceId: new(string(id))})
	}
	err := call(list)
	if len(ids) == 1 || !isNoInstance(err) {
		return err
	}
	half := len(ids) / 2
	return errors.Join(inHalves(ids[:half], call), inHalves(ids[half:], call))
}

// isNoInstance recognises AWS's answer that an instance does not exist.
func isNoInstance(err error) bool {
	_, missing := errors.AsType[*types.InvalidEndPointException](err)
	return missing
}
