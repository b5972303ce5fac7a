package aws

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Each difference is about those that it is said of, and about no others.
func TestUpstreamDifferences(t *testing.T) {
	type service struct {
		spec     cloud.Spec
		balancer cloud.Observed
	}
	network := cloud.Observed{Found: true, Balancer: cloud.Balancer{ProviderFields: map[string]string{balancer.FieldType: balancer.KindNetwork}}}
	classic := cloud.Observed{Found: true, Balancer: cloud.Balancer{ProviderFields: map[string]string{balancer.FieldType: "classic"}}}
	asks := func(key, value string) cloud.Spec {
		return cloud.Spec{Options: map[string]string{key: value}}
	}
	port := func(p cloud.Protocol) cloud.Spec {
		return cloud.Spec{Ports: []cloud.Port{{Protocol: p}}}
	}
	services := map[string]map[bool]service{
		"aws-as-found":         {true: {asks(option.Subnets.Name, "subnet-1"), network}, false: {asks(option.Subnets.Name, "subnet-1"), classic}},
		"aws-udp-check":        {true: {port(cloud.ProtocolUDP), network}, false: {port(cloud.ProtocolTCP), network}},
		"aws-session-affinity": {true: {cloud.Spec{ClientIP: true}, classic}, false: {cloud.Spec{}, classic}},
		"aws-health-timeout":   {true: {asks(option.Timeout.Name, "9"), network}, false: {asks(option.Timeout.Name, "9"), classic}},
		"aws-tags":             {true: {asks(option.Tags.Name, "a=b"), classic}, false: {cloud.Spec{}, classic}},
	}
	type node struct{ name, id string }
	nodes := map[string]map[bool]node{"aws-node-name": {true: {"i-web", ""}, false: {"i-0123456789abcdef0", ""}}}
	for _, d := range Upstream().Differences {
		for want, s := range services[d.ID] {
			if got := d.Service(s.spec, s.balancer); got != want {
				t.Errorf("%s: %v, want %v for %+v", d.ID, got, want, s)
			}
		}
		for want, n := range nodes[d.ID] {
			if got := d.Node(n.name, n.id, cloud.Instance{}); got != want {
				t.Errorf("%s: %v, want %v for %+v", d.ID, got, want, n)
			}
		}
		if len(services[d.ID])+len(nodes[d.ID]) != 2 {
			t.Errorf("%s has no examples", d.ID)
		}
	}
}
