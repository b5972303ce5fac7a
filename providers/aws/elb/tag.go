package elb

import (
	"context"
	"slices"

	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// addTags adds the tags that change, by their keys, unless only targets change.
func (p *parts) addTags(cluster tag.Cluster, change cloud.Change) {
	before, after := change.Before.Balancer, *change.After
	if p.Balancer != nil && before.ProviderFields[balancer.FieldTags] == after.ProviderFields[balancer.FieldTags] && slices.Equal(before.OwnershipTags, after.OwnershipTags) {
		return
	}
	r := cloud.Resource{Kind: kindTags, Key: p.of.Key, Needs: []cloud.IDOf{p.of}}
	present, wanted := cluster.Fields(p.lb.Tags, change)
	if r.Fields = present; p.Balancer != nil {
		p.Present = append(p.Present, r)
	}
	r.Fields = wanted
	p.Wanted = append(p.Wanted, r)
}

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
