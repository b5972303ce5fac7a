package nlb

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// newOwners says which other network balancer of the VPC needs a rule: it is in a subnet of that
// network and checks that port. That happens where all check kube-proxy's port. The network is read where a rule may be one
// of health checks, and the target groups are read anew: one that came since the last list may rely on the rule. Balancers
// are read when a target group of another checks the port.
func (n *Balancers) newOwners(ctx context.Context, s *Snapshot, name string) packetfilter.NewOwner {
	network := sync.OnceValues(func() (*vpc.Network, error) { return s.Network(ctx) })
	groups := sync.OnceValues(func() ([]targetgroup.Group, error) { return n.Targets.All(ctx) })
	balancers := sync.OnceValues(func() ([]Balancer, error) {
		list, _, err := n.describe(ctx, "")
		return list, err
	})
	return func(_ string, r packetfilter.Rule) (bool, string, error) {
		if r.Protocol != cloud.ProtocolTCP || strings.HasSuffix(r.Peer.Network, "/0") {
			return false, "", nil // no health check comes from there
		}
		around, err := network()
		if err != nil || !around.HasRange(r.Peer.Network) {
			return false, "", err
		}
		all, err := groups()
		behind := slices.DeleteFunc(targetgroup.Checking(all, r), func(arn string) bool {
			path := strings.Split(arn, "/") // …:loadbalancer/net/<name>/<id>
			return len(path) == 4 && path[2] == name
		})
		if err != nil || len(behind) == 0 {
			return false, "", err
		}
		others, err := balancers()
		for _, other := range others {
			v4, v6 := around.Ranges(other.Subnets())
			if slices.Contains(behind, aws.ToString(other.LoadBalancerArn)) && slices.Contains(append(v4, v6...), r.Peer.Network) {
				return true, ruleHealth + aws.ToString(other.LoadBalancerName), nil
			}
		}
		return false, "", err
	}
}
