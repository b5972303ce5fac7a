package elb

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"

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
		b.ProviderFields[desired.FieldStaleProxies] = strings.Join(stale, ",")
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
		return secgroup.Drift(secgroup.OwnRules(aws.ToString(own.GroupName), *own, desired.Ingress(spec)))
	case own != nil:
		return "a security group that is not wanted"
	}
	return ""
}

// viewNodes says how the security groups of nodes differ from what the balancer needs, ""
// when they do not.
func (e *Balancers) viewNodes(s *Snapshot, spec cloud.Spec, b cloud.Balancer) string {
	machines := slices.DeleteFunc(slices.Clone(spec.Candidates), func(t cloud.Target) bool { return balancer.Eligible(e.Cluster, b, t) != "" })
	needs := e.needsOf(s, spec, machines, append(e.leaving(s, spec), e.ownID(s, spec)))
	return e.groups.NodeDrift(s.Inventory, needs, nil, balancer.Doubtful(machines, b))
}
