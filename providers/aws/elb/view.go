package elb

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// schemeInternal is the scheme of balancers with private addresses only.
const schemeInternal = "internal"

// Scope says who can reach the balancer.
func (b *Balancer) Scope() cloud.Scope {
	return cloud.ScopeOf(aws.ToString(b.Scheme) == schemeInternal)
}

// Observe is what a classic balancer says to the kernel. AWS takes changes of it at any
// time, so that it is never pending.
func (e *Balancers) Observe(ctx context.Context, s *Snapshot, spec cloud.Spec) (cloud.Observed, error) {
	lb := s.Balancer
	if !spec.Deleting {
		if err := e.complete(ctx, lb); err != nil {
			return cloud.Observed{}, err
		}
	}
	o := cloud.Observed{
		Found: true, ID: lb.name(), Owner: e.Cluster.Owner(lb.name(), lb.Tags, spec.Ref.Owner), State: cloud.BalancerActive,
		Balancer: e.view(s, spec),
	}
	if host := aws.ToString(lb.DNSName); host != "" {
		o.Addresses = []cloud.BalancerAddress{{Hostname: host}}
	}
	return o, nil
}

// view is a classic balancer as Normalize would ask for it.
func (e *Balancers) view(s *Snapshot, spec cloud.Spec) cloud.Balancer {
	lb := s.Balancer
	b := cloud.Balancer{
		Name:      lb.name(),
		Scope:     lb.Scope(),
		Listeners: lb.viewListeners(spec),
		Health:    viewHealth(lb.HealthCheck),
		Allow:     e.viewAllow(s, spec),
		Targets:   lb.targets(),
		ProviderFields: map[string]string{
			balancer.FieldType:        balancer.KindClassic,
			balancer.FieldSubnets:     balancer.Joined(lb.Subnets),
			balancer.FieldGroups:      balancer.Joined(e.namedGroups(s, spec)),
			balancer.FieldIngress:     e.viewIngress(s, spec),
			balancer.FieldNodeIngress: "",
			balancer.FieldTags:        tag.Observed(lb.Tags, spec),
		},
		OwnershipTags: e.Cluster.ObservedMarks(lb.Tags),
	}
	maps.Copy(b.ProviderFields, viewAttributes(lb.attributes))
	if stale := lb.staleProxies(); len(stale) > 0 {
		b.ProviderFields[desired.FieldStaleProxies] = portList(stale)
	}
	b.ProviderFields[balancer.FieldNodeIngress] = e.viewNodes(s, spec, b)
	return b
}

// targets are the ids of the instances behind the balancer, sorted.
func (b *Balancer) targets() []cloud.InstanceID {
	ids := []cloud.InstanceID{}
	for _, instance := range b.Instances {
		ids = append(ids, cloud.InstanceID(aws.ToString(instance.InstanceId)))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// own returns the security group that was made for the balancer, nil when there is none
// with the cluster's tag.
func (e *Balancers) own(s *Snapshot, spec cloud.Spec) *ec2types.SecurityGroup {
	if group, exists := secgroup.ClassicName(s.name(spec), spec.Ref.Owner).In(s.Inventory); exists {
		return &group
	}
	return nil
}

// ownID is its id, or balancer.OwnGroup.
func (e *Balancers) ownID(s *Snapshot, spec cloud.Spec) string {
	if own := e.own(s, spec); own != nil {
		return aws.ToString(own.GroupId)
	}
	return balancer.OwnGroup
}

// namedGroups are the ids of the balancer's security groups, its own as balancer.OwnGroup.
func (e *Balancers) namedGroups(s *Snapshot, spec cloud.Spec) []string {
	groups, own := slices.Clone(s.Balancer.SecurityGroups), e.ownID(s, spec)
	for i, id := range groups {
		if id == own {
			groups[i] = balancer.OwnGroup
		}
	}
	return groups
}

func (e *Balancers) viewAllow(s *Snapshot, spec cloud.Spec) []string {
	own := e.own(s, spec)
	if own == nil || !e.HasOwnGroup(spec) {
		return nil
	}
	return secgroup.Ingress(*own).Sources()
}

// viewIngress says how the balancer's own security group differs from what is wanted, ""
// when it does not.
func (e *Balancers) viewIngress(s *Snapshot, spec cloud.Spec) string {
	own := e.own(s, spec)
	switch wanted := e.HasOwnGroup(spec); {
	case wanted && own == nil:
		return "no security group"
	case wanted:
		return secgroup.Ingress(*own).Drift(desired.Ingress(spec))
	case own != nil:
		return "a security group that is not wanted"
	}
	return ""
}

// viewNodes says how the security groups of nodes differ from what the balancer needs, ""
// when they do not.
func (e *Balancers) viewNodes(s *Snapshot, spec cloud.Spec, b cloud.Balancer) string {
	if e.groups.LeaveNodes {
		return ""
	}
	machines := slices.DeleteFunc(slices.Clone(spec.Candidates), func(t cloud.Target) bool { return balancer.Eligible(e.Cluster, b, t) != "" })
	doubt := slices.ContainsFunc(s.Balancer.Instances, func(i types.Instance) bool {
		return !slices.ContainsFunc(machines, func(t cloud.Target) bool { return string(t.InstanceID) == aws.ToString(i.InstanceId) })
	})
	return e.needsOf(s, spec, machines).Drift(s.Inventory, doubt)
}

// needsOf is that the nodes let in everything from the first of the balancer's security
// groups, as upstream has it. A rule was made for the balancer when it refers to its own security
// group, or says that it was made for balancers and refers to one that was its first. Any other is
// somebody else's: a user could have it removed by naming the group.
func (e *Balancers) needsOf(s *Snapshot, spec cloud.Spec, machines []cloud.Target) secgroup.Needs {
	wanted, own := e.Groups(spec), e.ownID(s, spec)
	first := wanted[0]
	if first == balancer.OwnGroup {
		first = own
	}
	return secgroup.Needs{
		Groups: e.groups.NodeGroups(s.Inventory, machines),
		Rules:  secgroup.Rules{secgroup.All(first): openingWords(first, own)},
		Mine: func(_ secgroup.Rules, r secgroup.Rule, description string) bool {
			return isOpening(r, description, own) && (r.Source == own || slices.Contains(e.leaving(s, spec), r.Source))
		},
	}
}

// ruleOpening is the description of rules that open nodes for a security group which is not the
// balancer's own. Upstream writes none: there, a rule that somebody else needs looks the same.
const ruleOpening = "multicloud-ccm.io/rule/elb"

func openingWords(group, own string) string {
	if group == own {
		return ""
	}
	return ruleOpening
}

// isOpening recognises a rule on a node's security group as it is made for balancers.
func isOpening(r secgroup.Rule, description, own string) bool {
	return r == secgroup.All(r.Source) && description == openingWords(r.Source, own)
}

// leaving are the security groups that the nodes were opened for and that are not wanted, without
// the balancer's own.
func (e *Balancers) leaving(s *Snapshot, spec cloud.Spec) []string {
	wanted := e.Groups(spec)
	return slices.DeleteFunc(e.opened(s, spec), func(id string) bool { return slices.Contains(wanted, id) })
}

// opened are the balancer's security groups that its nodes may have been opened for, without its
// own:
//
//	the balancer has                the nodes were opened for
//	its own                         that: the others are extra ones
//	the first of the wanted groups  that: the others are extra ones
//	neither                         any but the wanted extra ones: AWS keeps no order
func (e *Balancers) opened(s *Snapshot, spec cloud.Spec) []string {
	if s.Balancer == nil {
		return nil
	}
	groups, wanted := s.Balancer.SecurityGroups, e.Groups(spec)
	switch {
	case slices.Contains(groups, e.ownID(s, spec)):
		return nil
	case slices.Contains(groups, wanted[0]):
		return wanted[:1]
	}
	return balancer.Missing(groups, wanted)
}
