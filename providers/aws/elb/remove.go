package elb

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
)

// Remove returns the balancer that goes, and the rules of the nodes that refer to a security group which is not
// its own: they are known by the balancer alone.
func (e *Balancers) Remove(ctx context.Context, s *Snapshot, spec cloud.Spec) (r cloud.Resources, err error) {
	name := s.Name
	lb := cloud.Resource{Kind: kindBalancer, Key: name, ID: name}
	if own, _ := e.own(s, spec); own != nil {
		lb.Needs = []cloud.IDOf{{Kind: secgroup.KindGroup, Key: aws.ToString(own.GroupName)}}
	}
	r.Present = append(r.Present, lb)
	closing, err := e.unshared(ctx, e.opened(s, spec), name)
	if err != nil {
		return r, err
	}
	needs := packetfilter.Needs{Mine: func(_ packetfilter.Rules, rule packetfilter.Rule, description string) bool {
		return isOpening(rule, description, "") && slices.Contains(closing, rule.Peer.Group)
	}}
	return r, e.Security.NodeRules(&r, s.Inventory, needs, nil, false)
}
