package service

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	nlbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// TestChoose: of several balancers that are as surely the Service's, the wanted kind comes first, then the wanted name, then the default one.
func TestChoose(t *testing.T) {
	us := cloud.Owner{Cluster: "prod", Namespace: "shop", Name: "web", UID: "0a0a0a0a-0000-4000-8000-000000000001"}
	standard, ours, cluster := cloud.UIDName(us.UID), tag.OwnershipTags.Of(us), tag.Cluster{ID: "prod"}
	classic := func(name string, tags map[string]string) elb.Balancer {
		return elb.Balancer{LoadBalancerDescription: elbtypes.LoadBalancerDescription{LoadBalancerName: &name}, Tags: tags}
	}
	network := func(name string, tags map[string]string) nlb.Balancer {
		return nlb.Balancer{LoadBalancer: nlbtypes.LoadBalancer{LoadBalancerName: &name, LoadBalancerArn: aws.String("arn:" + name)}, Tags: tags}
	}
	theirs := us
	theirs.Name, theirs.UID = "api", "9f9f"
	for what, test := range map[string]struct {
		list   bulkList
		kind   string
		want   string
		byName bool
	}{
		"the wanted name before the default one":      {list: bulkList{classic: []elb.Balancer{classic(standard, ours), classic("web", ours)}}, want: "web"},
		"the default name before any other":           {list: bulkList{classic: []elb.Balancer{classic("a", ours), classic(standard, ours)}}, want: standard},
		"the wanted kind before the wanted name":      {list: bulkList{classic: []elb.Balancer{classic("web", ours)}, network: []nlb.Balancer{network("a", ours)}}, kind: option.TypeNetwork, want: "arn:a"},
		"the other kind where there is none":          {list: bulkList{classic: []elb.Balancer{classic("web", ours)}}, kind: option.TypeNetwork, want: "web"},
		"a tag before a name":                         {list: bulkList{classic: []elb.Balancer{classic("web", cluster.Tags()), classic("z", ours)}}, want: "z"},
		"a name of this cluster before somebody's":    {list: bulkList{classic: []elb.Balancer{classic("web", cluster.Tags())}, network: []nlb.Balancer{network("web", tag.OwnershipTags.Of(theirs))}}, kind: option.TypeNetwork, want: "web", byName: true},
		"somebody's where there is none but the name": {list: bulkList{network: []nlb.Balancer{network("web", tag.OwnershipTags.Of(theirs))}}, want: "arn:web", byName: true},
	} {
		s := &snapshot{}
		in := cloud.Input{Spec: cloud.Spec{Owner: us, Options: map[string]string{option.Name.Name: "web", option.Type.Name: test.kind}}}
		(&Balancers{Cluster: cluster}).choose(s, &test.list, in)
		if got := s.seen().id; got != test.want || s.byName != test.byName {
			t.Errorf("%s: %q, by name %t; want %q, %t", what, got, s.byName, test.want, test.byName)
		}
	}
}
