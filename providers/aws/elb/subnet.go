package elb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// attachSubnets adds subnets in zones where the balancer has none.
func (c *update) attachSubnets(ctx context.Context) error {
	missing, surplus := c.subnets()
	taken := map[string]bool{}
	for _, id := range surplus {
		taken[c.s.Inventory.Zone(id)] = true
	}
	return c.attach(ctx, slices.DeleteFunc(missing, func(id string) bool { return taken[c.s.Inventory.Zone(id)] }))
}

// swapSubnets removes subnets, and adds those that take their place: a balancer has only one in
// each zone.
func (c *update) swapSubnets(ctx context.Context) error {
	missing, surplus := c.subnets()
	if len(surplus) == 0 {
		return nil
	}
	_, err := c.client.DetachLoadBalancerFromSubnets(ctx, &sdk.DetachLoadBalancerFromSubnetsInput{LoadBalancerName: c.lb().LoadBalancerName, Subnets: surplus})
	if err != nil {
		return fmt.Errorf("detaching classic balancer %s from subnets: %w", c.lb().name(), err)
	}
	freed := map[string]bool{}
	for _, id := range surplus {
		freed[c.s.Inventory.Zone(id)] = true
	}
	err = c.attach(ctx, slices.DeleteFunc(missing, func(id string) bool { return !freed[c.s.Inventory.Zone(id)] }))
	if _, early := errors.AsType[*types.InvalidConfigurationRequestException](err); early {
		c.pending = true // the zone is not free yet
		return nil
	}
	return err
}

// subnets says which subnets the balancer lacks and which it has too many.
func (c *update) subnets() (missing, surplus []string) {
	have, want := balancer.List(c.have.ProviderFields[balancer.FieldSubnets]), balancer.List(c.want.ProviderFields[balancer.FieldSubnets])
	return balancer.Missing(want, have), balancer.Missing(have, want)
}

func (c *update) attach(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := c.client.AttachLoadBalancerToSubnets(ctx, &sdk.AttachLoadBalancerToSubnetsInput{LoadBalancerName: c.lb().LoadBalancerName, Subnets: ids})
	return failure.Wrap(err, "attaching classic balancer "+c.lb().name()+" to subnets")
}
