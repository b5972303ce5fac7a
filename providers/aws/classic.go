package aws

import (
	"context"
	"errors"
	"fmt"
	"slices"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
)

// Most balancers AWS answers with at once (DescribeLoadBalancers PageSize, DescribeTags
// LoadBalancerNames).
const (
	classicPage     = 400
	classicTagBatch = 20
)

// classicBalancer is a Classic Load Balancer: its description, and what AWS has to be asked for
// besides.
type classicBalancer struct {
	elbtypes.LoadBalancerDescription
	tags map[string]string
	// attributes are nil until completeClassic.
	attributes *elbtypes.LoadBalancerAttributes
}

func (b *classicBalancer) name() string { return awssdk.ToString(b.LoadBalancerName) }

// findClassic returns the balancer of that name with its tags, nil when there is none.
func (d *Driver) findClassic(ctx context.Context, name string) (*classicBalancer, error) {
	answer, err := d.Classic.DescribeLoadBalancers(ctx, &elb.DescribeLoadBalancersInput{LoadBalancerNames: []string{name}})
	switch {
	case noClassic(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading classic balancer %s: %w", name, err)
	case len(answer.LoadBalancerDescriptions) != 1:
		return nil, fmt.Errorf("reading classic balancer %s: AWS answered with %d", name, len(answer.LoadBalancerDescriptions))
	}
	tags, err := d.classicTags(ctx, []string{name})
	if err != nil || tags[name] == nil {
		return nil, err
	}
	return &classicBalancer{LoadBalancerDescription: answer.LoadBalancerDescriptions[0], tags: tags[name]}, nil
}

// describeClassic returns all classic balancers of the region, without their tags.
func (d *Driver) describeClassic(ctx context.Context) ([]classicBalancer, error) {
	var list []classicBalancer
	pages := elb.NewDescribeLoadBalancersPaginator(d.Classic, &elb.DescribeLoadBalancersInput{PageSize: new(int32(classicPage))})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing classic balancers: %w", err)
		}
		for _, description := range page.LoadBalancerDescriptions {
			list = append(list, classicBalancer{LoadBalancerDescription: description})
		}
	}
	return list, nil
}

// listClassic returns all classic balancers of the region with their tags.
func (d *Driver) listClassic(ctx context.Context) ([]classicBalancer, error) {
	list, err := d.describeClassic(ctx)
	if err != nil {
		return nil, err
	}
	for batch := range slices.Chunk(list, classicTagBatch) {
		var names []string
		for i := range batch {
			names = append(names, batch[i].name())
		}
		tags, err := d.classicTags(ctx, names)
		if err != nil {
			return nil, err
		}
		for i := range batch {
			batch[i].tags = tags[batch[i].name()]
		}
	}
	// What has no entry was deleted since it was listed.
	return slices.DeleteFunc(list, func(b classicBalancer) bool { return b.tags == nil }), nil
}

// classicTags returns the tags of each of these balancers that is there. AWS refuses the whole
// question when one is not, so that it is asked again in halves.
func (d *Driver) classicTags(ctx context.Context, names []string) (map[string]map[string]string, error) {
	answer, err := d.Classic.DescribeTags(ctx, &elb.DescribeTagsInput{LoadBalancerNames: names})
	found := map[string]map[string]string{}
	switch {
	case noClassic(err) && len(names) == 1:
		return found, nil
	case noClassic(err):
		for half := range slices.Chunk(names, (len(names)+1)/2) {
			part, err := d.classicTags(ctx, half)
			if err != nil {
				return nil, err
			}
			for name, tags := range part {
				found[name] = tags
			}
		}
		return found, nil
	case err != nil:
		return nil, fmt.Errorf("reading the tags of classic balancers: %w", err)
	}
	for _, name := range names {
		found[name] = map[string]string{}
	}
	for _, description := range answer.TagDescriptions {
		for _, tag := range description.Tags {
			found[awssdk.ToString(description.LoadBalancerName)][awssdk.ToString(tag.Key)] = awssdk.ToString(tag.Value)
		}
	}
	return found, nil
}

// completeClassic reads what neither list nor description has: the attributes.
func (d *Driver) completeClassic(ctx context.Context, b *classicBalancer) error {
	answer, err := d.Classic.DescribeLoadBalancerAttributes(ctx, &elb.DescribeLoadBalancerAttributesInput{LoadBalancerName: b.LoadBalancerName})
	if err == nil && answer.LoadBalancerAttributes == nil {
		err = errors.New("AWS answered with none")
	}
	if err != nil {
		return fmt.Errorf("reading the attributes of classic balancer %s: %w", b.name(), err)
	}
	b.attributes = answer.LoadBalancerAttributes
	return nil
}

// noClassic recognises AWS's answer that there is no such classic balancer.
func noClassic(err error) bool {
	_, gone := errors.AsType[*elbtypes.AccessPointNotFoundException](err)
	return gone
}
