// Package resource says of which resources a load balancer consists, as it is and as it has to be,
// and how each is made, changed and deleted.
package resource

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/mark"
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
		return cloud.Resources{}, fmt.Errorf("changing balancer %s: %s", s.LB.ID, change.Before.Detail)
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

func (c *Composite) presentBalancer(s *object.Snapshot, spec cloud.Spec) cloud.Resource {
	return cloud.Resource{Kind: kindBalancer, Key: TheBalancer(spec).Key, ID: s.LB.ID, Fields: map[string]any{
		"name": s.LB.Name, "description": s.LB.Description, "tags": s.LB.Tags,
	}}
}

// wantedBalancer is the balancer with its tags and, where it is the Service's own, its name.
func (c *Composite) wantedBalancer(s *object.Snapshot, change cloud.Change) cloud.Resource {
	spec := change.Spec
	r := cloud.Resource{Kind: kindBalancer, Key: TheBalancer(spec).Key, Fields: map[string]any{
		"tags": c.Rules.Marks.ReplaceMarks(s.LB.Tags, change.After.OwnershipTags, spec.Ref.Owner),
	}}
	if spec.Lookups[desired.LookupTenant] == "" && s.LB.Name != change.After.Name {
		r.Fields["name"] = change.After.Name
		if strings.HasPrefix(s.LB.Description, mark.DescriptionPrefix) {
			r.Fields["description"] = c.Rules.Marks.Description(spec.Ref.Owner)
		}
	}
	return r
}

// ofDeletion is what goes, and what stays in its place:
//
//	the balancer                        what goes
//	is gone                             what is left of floating IP and security group
//	has other Services, or the user's   the Service's listeners and its tags
//	has none                            floating IP, security group, the balancer as a whole
//
// What the Service has once, whatever its balancers, stays for another one of its own: the security
// group and the floating IP that is attached nowhere.
func (c *Composite) ofDeletion(s *object.Snapshot, change cloud.Change) (r cloud.Resources) {
	spec := change.Spec
	if s.Guard.Group != nil {
		r.Present = append(r.Present, secgroup.Resource(s.Guard.Group.ID, spec.Ref.Owner))
	}
	if s.Free != nil && !change.Replaced && spec.Beside == nil {
		r = c.Floating.Release(r, s.Free, spec)
	}
	if !change.Before.Found {
		return r
	}
	present := c.presentBalancer(s, spec)
	r.Present = append(r.Present, present)
	claim := owner.Read(c.Rules, s, spec)
	switch {
	case !claim.MayDelete():
		stays := present
		stays.Fields = map[string]any{"tags": c.Rules.Marks.ReplaceMarks(s.LB.Tags, nil, spec.Ref.Owner)}
		r.Wanted = append(r.Wanted, stays)
		r.Present = append(r.Present, c.presentListeners(s, claim.Tagged(), change)...)
		return r
	case change.Replaced:
		r = c.Floating.Park(r, s.Floating, spec)
	default:
		r = c.Floating.Release(r, s.Floating, spec)
	}
	if !c.Rules.Config.CascadeDelete {
		r.Present = append(r.Present, everything(s)...)
	}
	return r
}

// everything is all that a balancer has, which has to be empty before it is deleted. A pool that no
// listener leads to goes when there is no listener left: a policy of one can lead to it.
func everything(s *object.Snapshot) (list []cloud.Resource) {
	for _, l := range s.Listeners {
		list = append(list, cloud.Resource{Kind: kindListener, Key: l.Key(), ID: l.ID})
	}
	for _, id := range slices.Sorted(maps.Keys(s.Pools)) {
		if len(s.Pools[id].Listeners) > 0 || len(s.Listeners) == 0 {
			list = append(list, cloud.Resource{Kind: kindPool, Key: id, ID: id})
		}
	}
	return list
}

// TheBalancer stands for the id of the balancer that the other resources belong to.
func TheBalancer(spec cloud.Spec) cloud.IDOf {
	return cloud.IDOf{Kind: kindBalancer, Key: spec.Ref.Owner.String()}
}
