package aws_test

import (
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	classicapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	classictypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	networkapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// ownership tags are the tags of a balancer of the Service.
func ownershipTags(svc *corev1.Service) map[string]string {
	return map[string]string{
		"kubernetes.io/cluster/lab": "owned", "kubernetes.io/service-name": svc.Namespace + "/" + svc.Name,
		"multicloud-ccm.io/owner-uid": string(svc.UID), "multicloud-ccm.io/owner-cluster": "test",
		"multicloud-ccm.io/owner-namespace": svc.Namespace, "multicloud-ccm.io/owner-name": svc.Name,
	}
}

// secondNetwork makes a network balancer of the Service besides the one that it has.
func secondNetwork(s *site, svc *corev1.Service) {
	var tags []networktypes.Tag
	for key, value := range ownershipTags(svc) {
		tags = append(tags, networktypes.Tag{Key: &key, Value: &value})
	}
	_, err := s.world.Network.CreateLoadBalancer(s.Context(), &networkapi.CreateLoadBalancerInput{
		Name: awssdk.String("second"), Type: networktypes.LoadBalancerTypeEnumNetwork, Subnets: s.world.Public[:2], Tags: tags,
	})
	s.must(err, "making a second network balancer")
}

// secondClassic makes a classic one, with its own security group as the program makes it.
func secondClassic(s *site, svc *corev1.Service) {
	var tags []classictypes.Tag
	var groupTags []ec2types.Tag
	for key, value := range ownershipTags(svc) {
		tags = append(tags, classictypes.Tag{Key: &key, Value: &value})
		groupTags = append(groupTags, ec2types.Tag{Key: &key, Value: &value})
	}
	group, err := s.world.EC2.CreateSecurityGroup(s.Context(), &ec2.CreateSecurityGroupInput{
		GroupName: awssdk.String("k8s-elb-second"), Description: awssdk.String("Security group for Kubernetes ELB second (shop/web)"), VpcId: &s.world.VPC,
		TagSpecifications: []ec2types.TagSpecification{{ResourceType: ec2types.ResourceTypeSecurityGroup, Tags: groupTags}},
	})
	s.must(err, "making its security group")
	_, err = s.world.Classic.CreateLoadBalancer(s.Context(), &classicapi.CreateLoadBalancerInput{
		LoadBalancerName: awssdk.String("second"), Subnets: s.world.Public[:2], SecurityGroups: []string{*group.GroupId}, Tags: tags,
		Listeners: []classictypes.Listener{{Protocol: awssdk.String("TCP"), LoadBalancerPort: 80, InstancePort: awssdk.Int32(30080)}},
	})
	s.must(err, "making a second classic balancer")
}

// TestSecondBalancer: two processes may each have made a balancer. Both go with their Service, whatever kinds they are of.
func TestSecondBalancer(t *testing.T) {
	kinds := map[string]func(*corev1.Service){"classic": annotated(), "network": network}
	for second, another := range map[string]func(*site, *corev1.Service){"classic": secondClassic, "network": secondNetwork} {
		for kind, ask := range kinds {
			t.Run(kind+" and "+second, func(t *testing.T) {
				s := newSite(t, siteOptions{})
				empty := s.inventory()
				svc := s.service("web", ask)
				s.ensure(svc)
				another(s, svc)
				s.gone(svc, empty)
			})
		}
	}
}

// TestBalancerThatUpstreamLeft: upstream leaves a balancer of the other kind when the annotation changes. It has the default name and
// no ownership tag of ours, and goes with the Service all the same. A classic one may have security groups that the Service does not name
// any more.
func TestBalancerThatUpstreamLeft(t *testing.T) {
	t.Run("network", func(t *testing.T) {
		s := newSite(t, siteOptions{})
		empty := s.inventory()
		svc := s.service("web")
		s.ensure(svc)
		_, err := s.world.Network.CreateLoadBalancer(t.Context(), &networkapi.CreateLoadBalancerInput{
			Name: awssdk.String(defaultName(string(svc.UID))), Type: networktypes.LoadBalancerTypeEnumNetwork, Subnets: s.world.Public[:2],
			Tags: []networktypes.Tag{
				{Key: awssdk.String("kubernetes.io/cluster/lab"), Value: awssdk.String("owned")},
				{Key: awssdk.String("kubernetes.io/service-name"), Value: awssdk.String(svc.Namespace + "/" + svc.Name)},
			},
		})
		s.must(err, "making the balancer that upstream left")
		s.gone(svc, empty)
	})
	t.Run("classic with a group of the user's", func(t *testing.T) {
		s := newSite(t, siteOptions{})
		group := s.world.Group(t, "given")
		s.allow(s.world.NodeGroup, allFrom(group))
		empty := s.inventory()
		svc := s.service("web", network)
		s.ensure(svc)
		_, err := s.world.Classic.CreateLoadBalancer(t.Context(), &classicapi.CreateLoadBalancerInput{
			LoadBalancerName: awssdk.String(defaultName(string(svc.UID))), Subnets: s.world.Public[:2], SecurityGroups: []string{group},
			Listeners: []classictypes.Listener{{Protocol: awssdk.String("TCP"), LoadBalancerPort: 80, InstancePort: awssdk.Int32(30080)}},
			Tags: []classictypes.Tag{
				{Key: awssdk.String("kubernetes.io/cluster/lab"), Value: awssdk.String("owned")},
				{Key: awssdk.String("kubernetes.io/service-name"), Value: awssdk.String(svc.Namespace + "/" + svc.Name)},
			},
		})
		s.must(err, "making the balancer that upstream left")
		s.gone(svc, empty)
	})
}

// TestProtected: AWS refuses to delete a protected balancer, and nothing that it needs is closed or deleted.
func TestProtected(t *testing.T) {
	s := newSite(t, siteOptions{})
	empty := s.inventory()
	svc := s.service("web", network, annotated("multicloud-ccm.io/deletion-protection", "true"))
	s.ensure(svc)
	before := s.inventory()
	if err := s.tryRemove(svc); err == nil || !strings.Contains(err.Error(), "protected from deletion") {
		t.Fatalf("the deletion: %v", err)
	}
	if diff := cmp.Diff(before, s.inventory()); diff != "" {
		t.Errorf("what stays (-before +after):\n%s", diff)
	}
	_, err := s.world.Network.ModifyLoadBalancerAttributes(t.Context(), &networkapi.ModifyLoadBalancerAttributesInput{
		LoadBalancerArn: s.balancer().LoadBalancerArn, Attributes: []networktypes.LoadBalancerAttribute{{Key: awssdk.String("deletion_protection.enabled"), Value: awssdk.String("false")}},
	})
	s.must(err, "switching the protection off")
	s.gone(svc, empty)
}

// TestDeletedByHand: a balancer that somebody has deleted before is proved by lists to be gone, and what is left of it goes.
func TestDeletedByHand(t *testing.T) {
	s := newSite(t, siteOptions{})
	empty := s.inventory()
	svc := s.service("web", network)
	s.ensure(svc)
	_, err := s.world.Network.DeleteLoadBalancer(t.Context(), &networkapi.DeleteLoadBalancerInput{LoadBalancerArn: s.balancer().LoadBalancerArn})
	s.must(err, "deleting the balancer")
	on(t, s.world, s.nodes, siteOptions{}).gone(svc, empty) // long after the creation, which a process remembers for a minute
}
