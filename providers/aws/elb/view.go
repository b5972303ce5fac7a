package elb

import (
	"context"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
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
		Found: true, ID: s.Name, Owner: e.Cluster.Owner(s.Name, lb.Tags, spec.Ref.Owner), State: cloud.BalancerActive,
		Addresses: balancer.At(lb.DNSName), Balancer: e.view(s, spec),
	}
	return o, nil
}

// view is a classic balancer as Normalize would ask for it.
func (e *Balancers) view(s *Snapshot, spec cloud.Spec) cloud.Balancer {
	lb := s.Balancer
	b := cloud.Balancer{
		Name:      s.Name,
		Scope:     lb.Scope(),
		Listeners: lb.viewListeners(spec),
		Health:    viewHealth(lb.HealthCheck),
		Allow:     e.viewAllow(s, spec),
		Targets:   lb.targets(),
		ProviderFields: map[string]string{
			balancer.FieldType:    balancer.KindClassic,
			balancer.FieldSubnets: balancer.Joined(lb.Subnets),
			balancer.FieldGroups:  balancer.GroupsText(lb.SecurityGroups, e.ownID(s, spec)),
			balancer.FieldTags:    tag.Observed(lb.Tags, spec),
		},
		OwnershipTags: e.Cluster.ObservedMarks(lb.Tags),
	}
	maps.Copy(b.ProviderFields, viewAttributes(lb.attributes))
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
