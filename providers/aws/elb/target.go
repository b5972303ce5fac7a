package elb

import (
	"context"
	"errors"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// targetKind are the instances behind a balancer. For one that does not exist any more AWS refuses the others of the request too.
// Where it is to be removed it is none.
func (e *Balancers) targetKind() cloud.ResourceKind {
	instances := func(targets []cloud.Resource) (list []types.Instance) {
		for _, target := range targets {
			list = append(list, types.Instance{InstanceId: &target.Key})
		}
		return list
	}
	missing := func(err error) bool {
		_, missing := errors.AsType[*types.InvalidEndPointException](err)
		return missing
	}
	return cloud.ResourceKind{
		Name: kindTarget, Target: true, Together: fieldBalancer,
		Add: func(ctx context.Context, wanted []cloud.Resource) error {
			_, err := e.Client.RegisterInstancesWithLoadBalancer(ctx, &sdk.RegisterInstancesWithLoadBalancerInput{LoadBalancerName: nameOf(wanted[0]), Instances: instances(wanted)})
			if !missing(err) {
				return err
			}
			asked := map[string]cloud.InstanceID{}
			for _, target := range wanted {
				asked[target.Key] = target.Machine
			}
			return failure.OfTargets(err, asked)
		},
		Remove: func(ctx context.Context, present []cloud.Resource) error {
			return failure.Batches(instances(present), len(present), missing, func(list []types.Instance) error {
				_, err := e.Client.DeregisterInstancesFromLoadBalancer(ctx, &sdk.DeregisterInstancesFromLoadBalancerInput{LoadBalancerName: nameOf(present[0]), Instances: list})
				return err
			}, func(types.Instance, error) {})
		},
	}
}
