package elb

import (
	"context"
	"slices"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// addTags writes tags that are missing or differ.
func (c *update) addTags(ctx context.Context) error {
	add, _ := c.retagged()
	if len(add) == 0 {
		return nil
	}
	_, err := c.client.AddTags(ctx, &sdk.AddTagsInput{LoadBalancerNames: []string{c.lb().name()}, Tags: tagList(add)})
	return failure.Wrap(err, "tagging classic balancer "+c.lb().name())
}

// dropTags removes tags that are not wanted any more.
func (c *update) dropTags(ctx context.Context) error {
	_, remove := c.retagged()
	if len(remove) == 0 {
		return nil
	}
	input := &sdk.RemoveTagsInput{LoadBalancerNames: []string{c.lb().name()}}
	for _, key := range remove {
		input.Tags = append(input.Tags, types.TagKeyOnly{Key: &key})
	}
	_, err := c.client.RemoveTags(ctx, input)
	return failure.Wrap(err, "removing tags of classic balancer "+c.lb().name())
}

func (c *update) retagged() (add map[string]string, remove []string) {
	if !c.differs(balancer.FieldTags) && slices.Equal(c.have.OwnershipTags, c.want.OwnershipTags) {
		return nil, nil
	}
	return c.Cluster.Retag(c.lb().Tags, c.change)
}

func tagList(tags map[string]string) []types.Tag {
	return tag.ListOf(tags, func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} })
}
