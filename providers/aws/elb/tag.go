package elb

import (
	"context"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// setTags writes tags, and removes those without value.
func (e *Balancers) setTags(ctx context.Context, r cloud.Resource, keys []string) error {
	add, remove := tag.Split(r.Fields, keys)
	if len(add) > 0 {
		if _, err := e.Client.AddTags(ctx, &sdk.AddTagsInput{LoadBalancerNames: []string{r.Key}, Tags: tagList(add)}); err != nil {
			return err
		}
	}
	if len(remove) == 0 {
		return nil
	}
	input := &sdk.RemoveTagsInput{LoadBalancerNames: []string{r.Key}}
	for _, key := range remove {
		input.Tags = append(input.Tags, types.TagKeyOnly{Key: &key})
	}
	_, err := e.Client.RemoveTags(ctx, input)
	return err
}

func tagList(tags map[string]string) []types.Tag {
	return tag.ListOf(tags, func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} })
}
