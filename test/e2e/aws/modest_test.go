package aws_test

import (
	"slices"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	corev1 "k8s.io/api/core/v1"
)

// TestGuardStays keeps the security group of a network balancer, and its rules, when the mode that
// made it is off: AWS can't take it away.
func TestGuardStays(t *testing.T) {
	s := newSite(t, siteOptions{global: []string{"NLBSecurityGroupMode = Managed"}})
	before := s.inventory()
	svc := s.service("guarded", network)
	s.ensure(svc)
	s = on(t, s.world, s.nodes, siteOptions{})
	s.idle(svc)
	svc.Spec.Ports = append(svc.Spec.Ports, corev1.ServicePort{Name: "more", Protocol: corev1.ProtocolTCP, Port: 8080, NodePort: 31080})
	s.ensure(svc)
	s.idle(svc)
	if rules := strings.Join(s.lines("rule of k8s-shop-guarded"), "\n"); !strings.Contains(rules, "tcp 8080-8080") {
		t.Errorf("the new port is closed:\n%s", rules)
	}
	s.gone(svc, before)
}

// TestGroupsInAnyOrder names the security groups of a network balancer in both orders.
func TestGroupsInAnyOrder(t *testing.T) {
	s := newSite(t, siteOptions{})
	groups := []string{s.world.Group(t, "one"), s.world.Group(t, "two")}
	svc := s.service("two", network, annotated(own+"security-groups", strings.Join(groups, ",")))
	s.ensure(svc)
	s.idle(svc)
	slices.Reverse(groups)
	svc.Annotations[own+"security-groups"] = strings.Join(groups, ",")
	s.idle(svc)
}

// TestNodesAmongThemselves has the security group of the nodes on a classic balancer too: what lets
// the nodes talk to each other stays when the balancer gives it up.
func TestNodesAmongThemselves(t *testing.T) {
	s := newSite(t, siteOptions{})
	_, err := s.world.EC2.AuthorizeSecurityGroupIngress(t.Context(), &ec2.AuthorizeSecurityGroupIngressInput{
		GroupId: &s.world.NodeGroup, IpPermissions: []ec2types.IpPermission{{IpProtocol: awssdk.String("-1"), UserIdGroupPairs: []ec2types.UserIdGroupPair{{GroupId: &s.world.NodeGroup}}}},
	})
	s.must(err, "opening the nodes to each other")
	before := s.inventory()
	for _, key := range []string{"security-groups", "extra-security-groups"} {
		svc := s.service("inside", annotated(own+key, s.world.NodeGroup))
		s.ensure(svc)
		s.idle(svc)
		if key != "security-groups" {
			delete(svc.Annotations, own+key)
			s.ensure(svc)
			s.idle(svc)
		}
		s.gone(svc, before)
	}
}

// TestTargetsOnly brings the targets of a network balancer up to date, and leaves its tags, while
// their annotation is wrong.
func TestTargetsOnly(t *testing.T) {
	s := newSite(t, siteOptions{})
	svc := s.service("tagged", network, annotated(own+"additional-resource-tags", "team=web"))
	s.ensure(svc)
	svc.Annotations[own+"additional-resource-tags"] = "=web"
	s.nodes = s.nodes[:1]
	from := len(s.proxy.Calls())
	if err := s.try(svc); err == nil {
		t.Error("a tag without a key is taken")
	}
	if wrote := s.wrote(from); !slices.Equal(wrote, []string{"elbv2 DeregisterTargets", "elbv2 DeregisterTargets"}) {
		t.Errorf("wrote %q", wrote)
	}
}
