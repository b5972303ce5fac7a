package targetgroup

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// TagList returns tags as AWS takes them, sorted by key.
func TagList(tags map[string]string) []types.Tag {
	return tag.ListOf(tags, func(key, value *string) types.Tag { return types.Tag{Key: key, Value: value} })
}

// Limits of one request.
const (
	PageSize = 400 // of DescribeLoadBalancers and DescribeTargetGroups
	TagBatch = 20  // ARNs of one DescribeTags
)

// codeBadTarget is the answer to an instance that does not run, or an address outside.
const codeBadTarget = "InvalidTarget"

// Tags returns the tags of objects by their ARNs. What was deleted meanwhile has none.
func (gs *Groups) Tags(ctx context.Context, arns []string) (map[string]map[string]string, error) {
	return tag.ByID(arns, TagBatch, func(arns []string) (map[string]map[string]string, error) {
		answer, err := gs.Client.DescribeTags(ctx, &sdk.DescribeTagsInput{ResourceArns: arns})
		if err != nil {
			return nil, fmt.Errorf("reading the tags of network load balancers: %w", err)
		}
		tags := map[string]map[string]string{}
		for _, described := range answer.TagDescriptions {
			of := map[string]string{}
			for _, tag := range described.Tags {
				of[aws.ToString(tag.Key)] = aws.ToString(tag.Value)
			}
			tags[aws.ToString(described.ResourceArn)] = of
		}
		return tags, nil
	})
}
