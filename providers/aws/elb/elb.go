// Package elb reads and writes Classic Load Balancers.
package elb

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Balancers reads and writes Classic Load Balancers.
type Balancers struct {
	desired.Settings
	Client   *sdk.Client
	Security *secgroup.Groups
}

// Snapshot is what was read of a Service's classic balancer and of what surrounds it.
type Snapshot struct {
	Inventory *vpc.Inventory
	// Name is the balancer's name, where there is none the one it would have.
	Name string
	// Balancer is nil where there is none yet.
	Balancer *Balancer
}

// Most balancers AWS answers with at once (DescribeLoadBalancers PageSize, DescribeTags
// LoadBalancerNames).
const (
	pageSize = 400
	tagBatch = 20
)

// Balancer is a Classic Load Balancer: its description, and what AWS has to be asked for
// besides.
type Balancer struct {
	types.LoadBalancerDescription
	Tags map[string]string
	// attributes are nil until complete.
	attributes *types.LoadBalancerAttributes
}

func (b *Balancer) name() string { return aws.ToString(b.LoadBalancerName) }

// Find returns the balancer of that name with its tags, nil when there is none.
func (e *Balancers) Find(ctx context.Context, name string) (*Balancer, error) {
	answer, err := e.Client.DescribeLoadBalancers(ctx, &sdk.DescribeLoadBalancersInput{LoadBalancerNames: []string{name}})
	switch {
	case failure.IsGone(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading classic balancer %s: %w", name, err)
	case len(answer.LoadBalancerDescriptions) != 1:
		return nil, fmt.Errorf("reading classic balancer %s: AWS answered with %d", name, len(answer.LoadBalancerDescriptions))
	}
	tags, err := e.tags(ctx, []string{name})
	if err != nil || tags[name] == nil {
		return nil, err
	}
	return &Balancer{LoadBalancerDescription: answer.LoadBalancerDescriptions[0], Tags: tags[name]}, nil
}

// List returns all classic balancers of the region with their tags.
func (e *Balancers) List(ctx context.Context) ([]Balancer, error) {
	list, err := e.describe(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, b := range list {
		names = append(names, b.name())
	}
	tags, err := e.tags(ctx, names)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Tags = tags[names[i]]
	}
	// What has no entry was deleted since it was listed.
	return slices.DeleteFunc(list, func(b Balancer) bool { return b.Tags == nil }), nil
}

// tags returns the tags of each of these balancers that is there.
func (e *Balancers) tags(ctx context.Context, names []string) (map[string]map[string]string, error) {
	return tag.ByID(names, tagBatch, func(names []string) (map[string]map[string]string, error) {
		answer, err := e.Client.DescribeTags(ctx, &sdk.DescribeTagsInput{LoadBalancerNames: names})
		if err != nil {
			return nil, fmt.Errorf("reading the tags of classic balancers: %w", err)
		}
		found := map[string]map[string]string{}
		for _, name := range names {
			found[name] = map[string]string{}
		}
		for _, description := range answer.TagDescriptions {
			for _, tag := range description.Tags {
				found[aws.ToString(description.LoadBalancerName)][aws.ToString(tag.Key)] = aws.ToString(tag.Value)
			}
		}
		return found, nil
	})
}

// describe returns all classic balancers of the region, without their tags.
func (e *Balancers) describe(ctx context.Context) ([]Balancer, error) {
	found, err := filter.All(func(page *string) (*sdk.DescribeLoadBalancersOutput, error) {
		return e.Client.DescribeLoadBalancers(ctx, &sdk.DescribeLoadBalancersInput{PageSize: new(int32(pageSize)), Marker: page})
	}, func(o *sdk.DescribeLoadBalancersOutput) ([]types.LoadBalancerDescription, *string) {
		return o.LoadBalancerDescriptions, o.NextMarker
	})
	if err != nil {
		return nil, fmt.Errorf("listing classic balancers: %w", err)
	}
	list := []Balancer{}
	for _, description := range found {
		list = append(list, Balancer{LoadBalancerDescription: description})
	}
	return list, nil
}

// complete reads what neither list nor description has: the attributes.
func (e *Balancers) complete(ctx context.Context, b *Balancer) error {
	answer, err := e.Client.DescribeLoadBalancerAttributes(ctx, &sdk.DescribeLoadBalancerAttributesInput{LoadBalancerName: b.LoadBalancerName})
	if err == nil && answer.LoadBalancerAttributes == nil {
		err = errors.New("AWS answered with none")
	}
	if err != nil {
		return fmt.Errorf("reading the attributes of classic balancer %s: %w", b.name(), err)
	}
	b.attributes = answer.LoadBalancerAttributes
	return nil
}
