package elb

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// create makes a balancer with its tags, subnets, security groups and listeners. When the answer is
// lost the next run finds it by its name.
func (e *Balancers) create(ctx context.Context, wanted cloud.Resource, with []cloud.Resource) (string, []cloud.BalancerAddress, error) {
	input := &sdk.CreateLoadBalancerInput{LoadBalancerName: &wanted.Key}
	for _, part := range with {
		switch part.Kind {
		case kindTags:
			add, _ := tag.Split(part.Fields, slices.Collect(maps.Keys(part.Fields)))
			input.Tags = tagList(add)
		case kindSubnet:
			input.Subnets = append(input.Subnets, values(fieldSubnet, part)...)
		case kindGroups:
			input.SecurityGroups = values(fieldGroups, part)
		case kindListener:
			input.Listeners = append(input.Listeners, listeners(part)...)
		}
	}
	if wanted.Native == cloud.ScopeInternal {
		input.Scheme = new(schemeInternal)
	}
	made, err := e.Client.CreateLoadBalancer(ctx, input)
	if err != nil {
		return "", nil, err
	}
	return wanted.Key, balancer.At(made.DNSName), nil
}

func (e *Balancers) delete(ctx context.Context, present cloud.Resource) error {
	_, err := e.Client.DeleteLoadBalancer(ctx, &sdk.DeleteLoadBalancerInput{LoadBalancerName: &present.ID})
	return failure.UnlessGone(err)
}

// attach gives the balancer subnets. It can have one in each zone, and the zone of a subnet that was
// detached a moment ago may not be free yet.
func (e *Balancers) attach(ctx context.Context, wanted []cloud.Resource) error {
	_, err := e.Client.AttachLoadBalancerToSubnets(ctx, &sdk.AttachLoadBalancerToSubnetsInput{LoadBalancerName: nameOf(wanted[0]), Subnets: values(fieldSubnet, wanted...)})
	return refusedSubnets(err)
}

// retryAfter is when AWS is asked again for what it refused although it may take it later.
const retryAfter = 15 * time.Second

// refusedSubnets makes AWS's refusal of a change of subnets one that waits, and says why: the zone
// may not be free yet, or the subnets be none that the balancer can do with.
func refusedSubnets(err error) error {
	if refused, is := errors.AsType[*types.InvalidConfigurationRequestException](err); is {
		return &cloud.Waiting{After: retryAfter, Warnings: []cloud.Warning{{Field: option.Subnets.Name, Message: "the subnets are not changed: " + refused.Error()}}}
	}
	return err
}

func (e *Balancers) detach(ctx context.Context, present []cloud.Resource) error {
	_, err := e.Client.DetachLoadBalancerFromSubnets(ctx, &sdk.DetachLoadBalancerFromSubnetsInput{LoadBalancerName: nameOf(present[0]), Subnets: values(fieldSubnet, present...)})
	return refusedSubnets(err)
}

func (e *Balancers) setGroups(ctx context.Context, r cloud.Resource, _ []string) error {
	_, err := e.Client.ApplySecurityGroupsToLoadBalancer(ctx, &sdk.ApplySecurityGroupsToLoadBalancerInput{LoadBalancerName: nameOf(r), SecurityGroups: values(fieldGroups, r)})
	return err
}
