package aws

import (
	"context"
	"maps"
	"slices"

	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// addTags writes tags that are missing or differ.
func (c *classicChange) addTags(ctx context.Context) error {
	add, _ := c.retagged()
	if len(add) == 0 {
		return nil
	}
	_, err := c.Classic.AddTags(ctx, &elb.AddTagsInput{LoadBalancerNames: []string{c.lb().name()}, Tags: classicTagList(add)})
	return failure.Wrap(err, "tagging classic balancer "+c.lb().name())
}

// dropTags removes tags that are not wanted any more.
func (c *classicChange) dropTags(ctx context.Context) error {
	_, remove := c.retagged()
	if len(remove) == 0 {
		return nil
	}
	input := &elb.RemoveTagsInput{LoadBalancerNames: []string{c.lb().name()}}
	for _, key := range remove {
		input.Tags = append(input.Tags, elbtypes.TagKeyOnly{Key: &key})
	}
	_, err := c.Classic.RemoveTags(ctx, input)
	return failure.Wrap(err, "removing tags of classic balancer "+c.lb().name())
}

func (c *classicChange) retagged() (add map[string]string, remove []string) {
	if !c.differs(fieldTags) && slices.Equal(c.have.OwnershipTags, c.want.OwnershipTags) {
		return nil, nil
	}
	return c.config.Cluster.Retag(c.lb().tags, c.change)
}

func classicTagList(tags map[string]string) []elbtypes.Tag {
	var list []elbtypes.Tag
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, elbtypes.Tag{Key: &key, Value: new(tags[key])})
	}
	return list
}
