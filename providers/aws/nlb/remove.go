package nlb

import (
	"context"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
)

// Remove adds the balancer that is deleted with all it has, or what is left of it. These other resources go after it too.
func (n *Balancers) Remove(r *cloud.Resources, s *Snapshot, change cloud.Change, after []cloud.Resource) {
	p := n.parts(s, change)
	if s.Balancer == nil {
		p.targets.Drop()
		r.Present = append(r.Present, p.targets.Present...)
		return
	}
	p.targets.Drop(s.Balancer.groups...)
	present := p.balancer(change.Before.Balancer)
	present.ID = change.Before.ID
	for _, needed := range slices.Concat(p.targets.Present, after) {
		present.Needs = append(present.Needs, needed.Ref())
	}
	r.Present = append(append(r.Present, p.targets.Present...), present)
}

// RemovedRules are the rules on the nodes' security groups of a network balancer that goes or is
// gone: none is needed any more.
func (n *Balancers) RemovedRules(ctx context.Context, s *Snapshot) packetfilter.Needs {
	needs := nodeNeeds(s.Name, cloud.Balancer{}, nil, nil)
	needs.NewOwner = n.newOwners(ctx, s, s.Name)
	return needs
}

// Shares reports whether the balancer is let in by a rule that was made for another one. The deletion of that one, which
// may go on at the same time, leaves the rule to this one.
func (n *Balancers) Shares(s *Snapshot) bool {
	for _, group := range s.Inventory.Groups {
		for r, attributes := range secgroup.Ingress(group) {
			if strings.HasPrefix(attributes.Description, ruleHealth) && attributes.Description != ruleHealth+s.Name && len(targetgroup.Checking(s.Balancer.groups, r)) > 0 {
				return true
			}
		}
	}
	return false
}

// HasOwnTargetGroups reports whether a target group behind a balancer was made for it, so that it is deleted after the balancer.
func (n *Balancers) HasOwnTargetGroups(lb *Balancer) bool {
	return slices.ContainsFunc(lb.groups, n.Targets.IsMade)
}
