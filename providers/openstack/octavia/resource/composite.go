// Package resource says of which resources a load balancer consists, as it is and as it has to be,
// and how each is made, changed and deleted.
package resource

import (
	"context"
	"fmt"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/floatingip"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/object"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/owner"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/octavia/secgroup"
)

// Composite are what load balancers consist of.
type Composite struct {
	Client, Network *gophercloud.ServiceClient
	Rules           *desired.Rules
	Owners          *owner.Owners
	Floating        *floatingip.Manager
	Groups          *secgroup.Manager
}

// settles is for how long a balancer is busy with a change at the least. Octavia answers 409 to any
// other change meanwhile.
const settles = time.Second

// Resources implements cloud.Composite.
func (c *Composite) Resources(ctx context.Context, change cloud.Change) (cloud.Resources, error) {
	s, ok := change.Before.Native.(*object.Snapshot)
	switch {
	case !ok && change.After == nil:
		return cloud.Resources{}, nil
	case !ok:
		return cloud.Resources{}, fmt.Errorf("changing balancer %s: it was not observed by this driver", change.Before.ID)
	case change.After == nil:
		return c.ofDeletion(s, change), nil
	case !change.Before.Found:
		return c.ofCreation(ctx, s, change)
	case s.LB.Provisioning == object.StatusError:
		_, detail := object.Lifecycle(s.LB)
		return cloud.Resources{}, fmt.Errorf("changing balancer %s: %s", s.LB.ID, detail)
	}
	return c.ofUpdate(ctx, s, change), nil
}

func (c *Composite) ofUpdate(ctx context.Context, s *object.Snapshot, change cloud.Change) cloud.Resources {
	r := c.listenerResources(s, change)
	present, wanted := c.presentBalancer(s, change.Spec), c.wantedBalancer(s, change)
	r.Present, r.Wanted = append(r.Present, present), append(r.Wanted, wanted)
	r = c.withGroup(r, s, change)
	c.Floating.Add(ctx, &r, s, change)
	return r
}

// ofCreation is a balancer with all it has.
func (c *Composite) ofCreation(ctx context.Context, s *object.Snapshot, change cloud.Change) (cloud.Resources, error) {
	where, err := c.Place(ctx, change.Spec)
	if err != nil {
		return cloud.Resources{}, err
	}
	other := ""
	if change.After.DualStack {
		if other, err = c.otherSubnet(ctx, where, desired.OnIPv6(change.Spec)); err != nil {
			return cloud.Resources{}, err
		}
	}
	r := c.listenerResources(&object.Snapshot{LB: object.Balancer{Subnet: where.MemberSubnet}}, change)
	made := c.NewBalancer(change, where, other)
	c.Floating.AddFirst(ctx, &r, s, change.Spec, &made)
	r.Wanted = append(r.Wanted, made)
	if change.Spec.Lookups[desired.LookupMemberCIDR] != "" {
		had := len(r.Wanted)
		r = c.withGroup(r, s, change)
		balancer := Find(r.Wanted, made.Ref())
		for _, opens := range r.Wanted[had:] { // what listens must be reached
			balancer.Needs = append(balancer.Needs, opens.Ref())
		}
	}
	return r, nil
}

// withGroup adds the security group of the members that are wanted.
func (c *Composite) withGroup(r cloud.Resources, s *object.Snapshot, change cloud.Change) cloud.Resources {
	var addresses []string
	for _, m := range r.Wanted {
		if m.Kind == kindMember {
			addresses = append(addresses, fmt.Sprint(m.Fields["address"]))
		}
	}
	group := c.Groups.Resources(s, change, addresses)
	return cloud.Resources{Present: append(r.Present, group.Present...), Wanted: append(r.Wanted, group.Wanted...)}
}
