package aws_test

import (
	"testing"

	classicapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	classictypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"
	networkapi "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	networktypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"
	corev1 "k8s.io/api/core/v1"
)

// TestAttributeChangedByHand: an attribute that somebody changes is brought back by the next run for the Service. A run for Nodes
// changes nothing but targets, and reads no attributes.
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
			s.nodes = s.nodes[:1]
			from := len(s.proxy.Calls())
			s.retarget(svc)
			if !test.read(s, name) {
				t.Error("a run for Nodes brings it back")
			}
			for _, call := range s.proxy.Calls()[from:] {
				if call.Action == "DescribeLoadBalancerAttributes" {
					t.Errorf("a run for Nodes asked for %s", call)
				}
			}
			s.ensure(svc)
			if test.read(s, name) {
				t.Error("a run for the Service does not bring it back")
			}
		})
	}
}

const crossZone = "load_balancing.cross_zone.enabled"

// TestAttributesOfJustTargets: a run for Nodes, which does not read the attributes, leaves them as they are.
func TestAttributesOfJustTargets(t *testing.T) {
	for kind, ask := range map[string]func(*corev1.Service){"classic": annotated(), "network": network} {
		t.Run(kind, func(t *testing.T) {
			s := newSite(t, siteOptions{})
			svc := s.service("web", ask, annotated(
				own+"cross-zone-load-balancing-enabled", "true", idleTimeout, "1h",
				own+"access-log-enabled", "true", own+"access-log-s3-bucket-name", "logs", own+"access-log-s3-bucket-prefix", "web",
			))
			s.ensure(svc)
			s.nodes = s.nodes[:1]
			from := len(s.proxy.Calls())
			s.retarget(svc)
			for _, wrote := range s.wrote(from) {
				if wrote != "elb DeregisterInstancesFromLoadBalancer" && wrote != "elbv2 DeregisterTargets" {
					t.Errorf("a run for Nodes wrote %s", wrote)
				}
			}
			if len(s.wrote(from)) == 0 {
				t.Error("a run for Nodes changed no target")
			}
			s.idle(svc)
		})
	}
}
