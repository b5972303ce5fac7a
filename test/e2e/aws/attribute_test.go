package aws_test

import (
	"testing"

	classicapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	classictypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	networkapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	corev1 "k8s.io/api/core/v1"
)

// TestAttributeChangedByHand: an attribute that somebody changes is recalled as it was, and is brought back when the balancer is
// compared with the cloud. Another process knows nothing, and brings it back at once.
func TestAttributeChangedByHand(t *testing.T) {
	for kind, test := range map[string]struct {
		ask   func(*corev1.Service)
		write func(s *site, name string)
		read  func(s *site, name string) bool // as it was changed
	}{
		"classic": {annotated(), func(s *site, name string) {
			_, err := s.world.Classic.ModifyLoadBalancerAttributes(s.Context(), &classicapi.ModifyLoadBalancerAttributesInput{
				LoadBalancerName:       &name,
				LoadBalancerAttributes: &classictypes.LoadBalancerAttributes{CrossZoneLoadBalancing: &classictypes.CrossZoneLoadBalancing{Enabled: true}},
			})
			s.must(err, "changing an attribute")
		}, func(s *site, name string) bool {
			a, err := s.world.Classic.DescribeLoadBalancerAttributes(s.Context(), &classicapi.DescribeLoadBalancerAttributesInput{LoadBalancerName: &name})
			s.must(err, "reading the attributes")
			return a.LoadBalancerAttributes.CrossZoneLoadBalancing.Enabled
		}},
		"network": {network, func(s *site, name string) {
			_, err := s.world.Network.ModifyLoadBalancerAttributes(s.Context(), &networkapi.ModifyLoadBalancerAttributesInput{
				LoadBalancerArn: s.arn(name), Attributes: []networktypes.LoadBalancerAttribute{{Key: new(crossZone), Value: new("true")}},
			})
			s.must(err, "changing an attribute")
		}, func(s *site, name string) bool {
			a, err := s.world.Network.DescribeLoadBalancerAttributes(s.Context(), &networkapi.DescribeLoadBalancerAttributesInput{LoadBalancerArn: s.arn(name)})
			s.must(err, "reading the attributes")
			for _, one := range a.Attributes {
				if *one.Key == crossZone {
					return *one.Value == "true"
				}
			}
			return false
		}},
	} {
		t.Run(kind, func(t *testing.T) {
			s := newSite(t, siteOptions{})
			svc := s.service("web", test.ask)
			s.ensure(svc)
			name := defaultName(string(svc.UID))
			test.write(s, name)
			s.ensure(svc)
			if !test.read(s, name) {
				t.Error("it is not recalled")
			}
			s.compare(svc)
			if test.read(s, name) {
				t.Error("the comparison does not bring it back")
			}
			test.write(s, name)
			on(t, s.world, s.nodes, siteOptions{}).ensure(svc)
			if test.read(s, name) {
				t.Error("another process does not bring it back")
			}
		})
	}
}

const crossZone = "load_balancing.cross_zone.enabled"
