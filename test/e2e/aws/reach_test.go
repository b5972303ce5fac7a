package aws_test

import (
	"slices"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	networkapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// What is here are the rows of "What a namespace user can reach" of docs/explanation/security.md.

// groupID is the id of the security group of that name.
func (s *site) groupID(name string) string {
	s.Helper()
	found, err := s.world.EC2.DescribeSecurityGroups(s.Context(), &ec2.DescribeSecurityGroupsInput{Filters: []ec2types.Filter{{Name: awssdk.String("group-name"), Values: []string{name}}}})
	s.must(err, "reading security group "+name)
	if len(found.SecurityGroups) != 1 {
		s.Fatalf("%d security groups %s", len(found.SecurityGroups), name)
	}
	return *found.SecurityGroups[0].GroupId
}

// TestReachOfSecurityGroups: a Service does not get the security group that was made for another
// Service, whose deletion would hang, or for another cluster; what it is told is the same as of one
// that does not exist.
func TestReachOfSecurityGroups(t *testing.T) {
	s := newSite(t, siteOptions{})
	victim, old := s.service("victim"), s.service("old")
	empty := s.inventory()
	s.ensure(victim)
	s.upstreamClassic(old) // without our ownership tags
	foreign := s.world.Group(t, "foreign")
	s.world.Tag(t, foreign, aws.Tag("kubernetes.io/cluster/elsewhere", "owned"))
	before := s.inventory()
	var told []string
	for _, key := range []string{"security-groups", "extra-security-groups"} {
		for _, id := range []string{s.groupID("k8s-elb-" + balancerName(victim)), s.groupID("k8s-elb-" + balancerName(old)), foreign, "sg-0123456789abcdef0"} {
			thief := s.service("thief", annotated(own+key, id))
			err := s.try(thief)
			if err == nil {
				t.Errorf("%s: %s is given away", key, id)
			} else if key == "security-groups" {
				told = append(told, strings.ReplaceAll(err.Error(), id, "…"))
			}
			if diff := cmp.Diff(before, s.inventory()); diff != "" {
				t.Fatalf("%s changed:\n%s", key, diff)
			}
		}
	}
	if len(slices.Compact(told)) != 1 {
		t.Errorf("told %q, want one text for all", told)
	}
	s.remove(victim)
	s.remove(old)
	s.world.EC2.DeleteSecurityGroup(t.Context(), &ec2.DeleteSecurityGroupInput{GroupId: &foreign})
	s.left(empty, s.inventory())
}

// TestReachOfNodeRules: a Service that names the security group of the control plane, and is deleted,
// leaves the rule by which the nodes let the control plane in.
func TestReachOfNodeRules(t *testing.T) {
	s := newSite(t, siteOptions{})
	masters := s.world.Group(t, "masters")
	s.allow(s.world.NodeGroup, allFrom(masters))
	before := s.inventory()
	svc := s.service("web", annotated(own+"security-groups", masters))
	s.ensure(svc)
	s.idle(svc)
	delete(svc.Annotations, own+"security-groups")
	s.ensure(svc)
	annotated(own+"security-groups", masters)(svc)
	s.ensure(svc)
	s.gone(svc, before)
}

// TestReachOfNames: the name that follows from another Service's UID can't be taken before that Service
// has its balancer.
func TestReachOfNames(t *testing.T) {
	s := newSite(t, siteOptions{})
	before := s.inventory()
	victim := s.service("victim", network)
	for _, kind := range []string{"", "nlb"} {
		thief := s.service("thief", annotated(own+"type", kind, "multicloud-ccm.io/name", balancerName(victim)))
		if err := s.try(thief); err == nil || !strings.Contains(err.Error(), "multicloud-ccm.io/name") {
			t.Errorf("type %q: %v", kind, err)
		}
		s.gone(thief, before)
	}
	same := s.service("same", network)
	annotated("multicloud-ccm.io/name", balancerName(same))(same)
	s.ensure(same)
	s.gone(same, before)
}

// TestReachOfTags: additional tags don't say whose a balancer is, for us or for others.
func TestReachOfTags(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("web", network, annotated(own+"additional-resource-tags",
		"team=web,kubernetes.io/cluster/elsewhere=owned,kubernetes.io/service-name=bank/pay,KubernetesCluster=elsewhere,multicloud-ccm.io/owner-uid=1,elbv2.k8s.aws/cluster=prod,service.k8s.aws/stack=bank/pay"))
	s.ensure(svc)
	tags := s.lookNetwork(svc).tags
	for _, key := range []string{"kubernetes.io/cluster/elsewhere", "KubernetesCluster", "elbv2.k8s.aws/cluster", "service.k8s.aws/stack"} {
		if value, set := tags[key]; set {
			t.Errorf("tag %s=%s", key, value)
		}
	}
	if tags["kubernetes.io/service-name"] != "shop/web" || tags["multicloud-ccm.io/owner-uid"] != string(svc.UID) || tags["team"] != "web" {
		t.Errorf("tags %v", tags)
	}
	if said := strings.Join(s.events.said, "\n"); !strings.Contains(said, "elbv2.k8s.aws/cluster") {
		t.Errorf("said %s", said)
	}
	s.idle(svc)
	s.remove(svc)
}

// TestReachOfBalancers: a load balancer with somebody's ownership tags is not taken by its ARN, and the thief
// can be deleted.
func TestReachOfBalancers(t *testing.T) {
	s := newSite(t, siteOptions{})
	for name, tags := range map[string][]string{
		"another cluster's":    {"kubernetes.io/cluster/elsewhere", "owned"},
		"shared, but another":  {"kubernetes.io/cluster/elsewhere", "owned", "kubernetes.io/cluster/lab", "shared"},
		"another Service's":    {"kubernetes.io/cluster/lab", "owned", "kubernetes.io/service-name", "bank/pay"},
		"another controller's": {"elbv2.k8s.aws/cluster", "test", "service.k8s.aws/stack", "shop/web"},
	} {
		input := &networkapi.CreateLoadBalancerInput{Name: awssdk.String("theirs"), Type: networktypes.LoadBalancerTypeEnumNetwork, Subnets: s.world.Public}
		for i := 0; i < len(tags); i += 2 {
			input.Tags = append(input.Tags, networktypes.Tag{Key: &tags[i], Value: &tags[i+1]})
		}
		made, err := s.world.Network.CreateLoadBalancer(t.Context(), input)
		s.must(err, "making a balancer")
		arn := *made.LoadBalancers[0].LoadBalancerArn
		before := s.inventory()
		for _, by := range []string{"adopt", "name"} {
			id := map[string]string{"adopt": arn, "name": "theirs"}[by]
			thief := s.service("web", network, annotated("multicloud-ccm.io/"+by, id))
			if err := s.try(thief); err == nil {
				t.Errorf("%s: taken by %s", name, by)
			} else if strings.Contains(err.Error(), "bank") || strings.Contains(err.Error(), "elsewhere") {
				t.Errorf("%s: told by %s: %v", name, by, err)
			}
			s.gone(thief, before)
		}
		_, err = s.world.Network.DeleteLoadBalancer(t.Context(), &networkapi.DeleteLoadBalancerInput{LoadBalancerArn: &arn})
		s.must(err, "deleting a balancer")
	}
}

// TestReachOfThingsThatStay: certificates, Elastic IPs, subnets and buckets that a Service names are
// used, as upstream does, and never changed or deleted.
func TestReachOfThingsThatStay(t *testing.T) {
	s := newSite(t, siteOptions{})
	before := s.inventory()
	address := s.world.ElasticIP(t)
	s.world.Tag(t, s.world.Public[1], aws.Tag("kubernetes.io/cluster/elsewhere", "owned"))
	svc := s.service("web", network, annotated(
		own+"ssl-cert", s.world.Certificate("web"), own+"subnets", s.world.Public[1], own+"eip-allocations", address,
		own+"access-log-enabled", "true", own+"access-log-s3-bucket-name", "logs"))
	s.ensure(svc)
	s.idle(svc)
	s.gone(svc, before)
	found, err := s.world.EC2.DescribeAddresses(t.Context(), &ec2.DescribeAddressesInput{AllocationIds: []string{address}})
	if err != nil || len(found.Addresses) != 1 {
		t.Errorf("the address: %v, %v", found, err)
	}
	for _, call := range s.wrote(0) {
		if what := strings.ToLower(call); strings.Contains(what, "certificate") || strings.Contains(what, "releaseaddress") || strings.HasSuffix(what, "tags") && strings.HasPrefix(what, "ec2") || strings.HasPrefix(what, "s3") {
			t.Errorf("written: %s", call)
		}
	}
}
