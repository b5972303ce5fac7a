package nlb

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/ec2test"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
)

// The AWS Load Balancer Controller gives target groups names of the same form. Their tags are not read where the tags of the
// balancer say that it made that.
func TestGroupsOfTheController(t *testing.T) {
	group := func(name string, balancers ...string) types.TargetGroup {
		return types.TargetGroup{TargetGroupName: &name, TargetGroupArn: &name, VpcId: aws.String("vpc-1"), LoadBalancerArns: balancers}
	}
	var asked []string
	client := sdk.New(sdk.Options{APIOptions: ec2test.Answering(func(input any) (any, error) {
		switch in := input.(type) {
		case *sdk.DescribeLoadBalancersInput:
			out := &sdk.DescribeLoadBalancersOutput{}
			for _, name := range []string{"ours", "theirs"} {
				out.LoadBalancers = append(out.LoadBalancers, types.LoadBalancer{LoadBalancerName: &name, LoadBalancerArn: &name, VpcId: aws.String("vpc-1"), Type: types.LoadBalancerTypeEnumNetwork})
			}
			return out, nil
		case *sdk.DescribeTargetGroupsInput:
			return &sdk.DescribeTargetGroupsOutput{TargetGroups: []types.TargetGroup{
				group("k8s-shop-web-1", "ours"), group("k8s-shop-pay-2", "theirs"), group("k8s-shop-site-3", "application"), group("k8s-shop-old-4"), group("user"),
			}}, nil
		case *sdk.DescribeTagsInput:
			asked = append(asked, in.ResourceArns...)
			out := &sdk.DescribeTagsOutput{}
			for _, arn := range in.ResourceArns {
				d := types.TagDescription{ResourceArn: &arn, Tags: []types.Tag{{Key: aws.String("name"), Value: &arn}}}
				if arn == "theirs" {
					d.Tags = append(d.Tags, types.Tag{Key: aws.String(tag.Controller), Value: aws.String("c")})
				}
				out.TagDescriptions = append(out.TagDescriptions, d)
			}
			return out, nil
		}
		return nil, fmt.Errorf("nothing answers %T", input)
	})})
	cluster := tag.Cluster{ID: "c", VPC: "vpc-1"}
	n := &Balancers{Settings: desired.Settings{Cluster: cluster}, Client: client, Targets: &targetgroup.Groups{Cluster: cluster, Client: client}}
	for beginning, want := range map[string][]string{
		"":              {"ours", "theirs", "k8s-shop-web-1", "k8s-shop-old-4"},
		"k8s-shop-pay-": {"ours", "theirs", "k8s-shop-pay-2", "k8s-shop-old-4"},
	} {
		asked = nil
		list, _, groups, err := n.List(t.Context(), beginning)
		if err != nil || !slices.Equal(asked, want) {
			t.Errorf("%q: tags of %q were read, %v, want %q", beginning, asked, err, want)
		}
		for _, lb := range list {
			if lb.Tags["name"] != *lb.LoadBalancerName {
				t.Errorf("%q: balancer %s has tags %v", beginning, *lb.LoadBalancerName, lb.Tags)
			}
		}
		for _, g := range groups {
			if has := g.Tags != nil; has != slices.Contains(want, *g.TargetGroupName) {
				t.Errorf("%q: group %s has tags %v", beginning, *g.TargetGroupName, g.Tags)
			}
		}
	}
}
