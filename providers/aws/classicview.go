package aws

import (
	"context"
	"maps"
	"slices"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// schemeInternal is the scheme of balancers with private addresses only.
const schemeInternal = "internal"

func (b *classicBalancer) scope() cloud.Scope {
	return cloud.ScopeOf(awssdk.ToString(b.Scheme) == schemeInternal)
}

// observeClassic is what a classic balancer says to the kernel. AWS takes changes of it at any
// time, so that it is never pending.
func (d *Driver) observeClassic(ctx context.Context, s *snapshot, spec cloud.Spec) (cloud.Observed, error) {
	lb := s.classic
	if !spec.Deleting {
		if err := d.completeClassic(ctx, lb); err != nil {
			return cloud.Observed{}, err
		}
	}
	o := cloud.Observed{
		Found: true, ID: lb.name(), Owner: d.config.Cluster.Owner(lb.name(), lb.tags, spec.Ref.Owner), State: cloud.BalancerActive,
		Lookups: d.lookups(s, spec), Native: s, Balancer: d.viewClassic(s, spec),
	}
	if host := awssdk.ToString(lb.DNSName); host != "" {
		o.Addresses = []cloud.BalancerAddress{{Hostname: host}}
	}
	return o, nil
}

// viewClassic is a classic balancer as normalizeClassic would ask for it.
func (d *Driver) viewClassic(s *snapshot, spec cloud.Spec) cloud.Balancer {
	lb := s.classic
	b := cloud.Balancer{
		Name:      lb.name(),
		Scope:     lb.scope(),
		Listeners: lb.viewListeners(spec),
		Health:    viewClassicHealth(lb.HealthCheck),
		Allow:     d.viewClassicAllow(s, spec),
		Targets:   lb.targets(),
		ProviderFields: map[string]string{
			fieldType:        kindClassic,
			fieldSubnets:     sortedList(lb.Subnets),
			fieldGroups:      sortedList(d.namedGroups(s, spec)),
			fieldIngress:     d.viewClassicIngress(s, spec),
			fieldNodeIngress: "",
			fieldTags:        tag.Observed(lb.tags, spec),
		},
		OwnershipTags: d.config.Cluster.ObservedMarks(lb.tags),
	}
	maps.Copy(b.ProviderFields, viewAttributes(lb.attributes))
	if stale := lb.staleProxies(); len(stale) > 0 {
		b.ProviderFields[fieldStaleProxies] = portList(stale)
	}
	b.ProviderFields[fieldNodeIngress] = d.viewClassicNodes(s, spec, b)
	return b
}

// targets are the ids of the instances behind the balancer, sorted.
func (b *classicBalancer) targets() []cloud.InstanceID {
	ids := []cloud.InstanceID{}
	for _, instance := range b.Instances {
		ids = append(ids, cloud.InstanceID(awssdk.ToString(instance.InstanceId)))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// classicOwn returns the security group that was made for the balancer, nil when there is none
// with the cluster's tag.
func (d *Driver) classicOwn(s *snapshot, spec cloud.Spec) *ec2types.SecurityGroup {
	if group, exists := secgroup.ClassicName(s.name(spec), spec.Ref.Owner).In(s.area); exists {
		return &group
	}
	return nil
}

// classicOwnID is its id, or ownGroup.
func (d *Driver) classicOwnID(s *snapshot, spec cloud.Spec) string {
	if own := d.classicOwn(s, spec); own != nil {
		return awssdk.ToString(own.GroupId)
	}
	return ownGroup
}

// namedGroups are the ids of the balancer's security groups, its own as ownGroup.
func (d *Driver) namedGroups(s *snapshot, spec cloud.Spec) []string {
	groups, own := slices.Clone(s.classic.SecurityGroups), d.classicOwnID(s, spec)
	for i, id := range groups {
		if id == own {
			groups[i] = ownGroup
		}
	}
	return groups
}

func (d *Driver) viewClassicAllow(s *snapshot, spec cloud.Spec) []string {
	own := d.classicOwn(s, spec)
	if own == nil || !d.hasOwnGroup(spec) {
		return nil
	}
	return secgroup.Ingress(*own).Sources()
}

// viewClassicIngress says how the balancer's own security group differs from what is wanted, ""
// when it does not.
func (d *Driver) viewClassicIngress(s *snapshot, spec cloud.Spec) string {
	own := d.classicOwn(s, spec)
	switch wanted := d.hasOwnGroup(spec); {
	case wanted && own == nil:
		return "no security group"
	case wanted:
		return secgroup.Ingress(*own).Drift(wantedClassicIngress(spec))
	case own != nil:
		return "a security group that is not wanted"
	}
	return ""
}

// viewClassicNodes says how the security groups of nodes differ from what the balancer needs, ""
// when they do not.
func (d *Driver) viewClassicNodes(s *snapshot, spec cloud.Spec, b cloud.Balancer) string {
	if d.config.Balancer.LeaveNodeGroups {
		return ""
	}
	machines := slices.DeleteFunc(slices.Clone(spec.Candidates), func(t cloud.Target) bool { return d.Eligible(b, t) != "" })
	doubt := slices.ContainsFunc(s.classic.Instances, func(i elbtypes.Instance) bool {
		return !slices.ContainsFunc(machines, func(t cloud.Target) bool { return string(t.InstanceID) == awssdk.ToString(i.InstanceId) })
	})
	return d.classicNeeds(s, spec, machines).Drift(s.area, doubt)
}

// classicNeeds is that the nodes let in everything from the first of the balancer's security
// groups, as upstream has it. A rule was made for the balancer when it refers to its own security
// group, or says that it was made for balancers and refers to one that was its first. Any other is
// somebody else's: a user could have it removed by naming the group.
func (d *Driver) classicNeeds(s *snapshot, spec cloud.Spec, machines []cloud.Target) secgroup.Needs {
	wanted, own := d.classicGroups(spec), d.classicOwnID(s, spec)
	first := wanted[0]
	if first == ownGroup {
		first = own
	}
	return secgroup.Needs{
		Groups: d.groups.NodeGroups(s.area, machines),
		Rules:  secgroup.Rules{secgroup.All(first): openingWords(first, own)},
		Mine: func(_ secgroup.Rules, r secgroup.Rule, description string) bool {
			return isOpening(r, description, own) && (r.Source == own || slices.Contains(d.leaving(s, spec), r.Source))
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
func (d *Driver) leaving(s *snapshot, spec cloud.Spec) []string {
	wanted := d.classicGroups(spec)
	return slices.DeleteFunc(d.opened(s, spec), func(id string) bool { return slices.Contains(wanted, id) })
}

// opened are the balancer's security groups that its nodes may have been opened for, without its
// own:
//
//	the balancer has                the nodes were opened for
//	its own                         that: the others are extra ones
//	the first of the wanted groups  that: the others are extra ones
//	neither                         any but the wanted extra ones: AWS keeps no order
func (d *Driver) opened(s *snapshot, spec cloud.Spec) []string {
	if s.classic == nil {
		return nil
	}
	groups, wanted := s.classic.SecurityGroups, d.classicGroups(spec)
	switch {
	case slices.Contains(groups, d.classicOwnID(s, spec)):
		return nil
	case slices.Contains(groups, wanted[0]):
		return wanted[:1]
	}
	return slices.DeleteFunc(slices.Clone(groups), func(id string) bool { return slices.Contains(wanted, id) })
}
