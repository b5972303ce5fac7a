// Package resource says of which resources a load balancer consists, as it is and as it has to be,
// and how each is made, changed and deleted.
package resource

import (
	"context"
	"fmt"

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
	Floating        *floatingip.Manager
	Groups          *secgroup.Manager
}

// Resources implements cloud.Composite. What goes with a balancer, and what stays in its place:
//
//	the balancer                        what goes
//	is gone                             what is left of floating IP and security group
//	has other Services, or the user's   the Service's listeners and its tags
//	has none                            floating IP, security group, the balancer as a whole
//
// What the Service has once, whatever its balancers, stays for another one of its own: the security
// group and the floating IP that is attached nowhere.
func (c *Composite) Resources(ctx context.Context, change cloud.Change) (r cloud.Resources, err error) {
	s := object.Native.Open(change.Before.Native)
	isNew := change.After != nil && !change.Before.Found
	switch {
	case s == nil && change.After == nil:
		return r, nil
	case s == nil:
		return r, fmt.Errorf("changing balancer %s: it was not observed by this driver", change.Before.ID)
	case change.After != nil && s.LB.Provisioning == object.StatusError:
		return r, fmt.Errorf("changing balancer %s: %s", s.LB.ID, change.Before.Detail)
	}
	tenancy, place := owner.Read(c.Rules, s, change.Input), c.Rules.PlaceOf(change.Input)
	balancer := TheBalancer(change.Input.Spec)
	switch {
	case change.Before.Found:
		c.addBalancer(&r, s, tenancy, change)
		r.Present = append(r.Present, c.presentParts(s, tenancy, change)...)
	case isNew:
		made, err := c.newBalancer(ctx, &place, change)
		if err != nil {
			return r, err
		}
		r.Wanted = append(r.Wanted, made)
	}
	var addresses []string
	if change.After != nil {
		addresses = c.addWantedParts(&r, s, place, change)
	}
	first, err := c.Groups.Add(ctx, &r, s, change, addresses)
	if err != nil {
		return r, err
	}
	first = append(first, c.Floating.Add(ctx, &r, s, change, balancer)...)
	if isNew {
		Find(r.Wanted, balancer).Needs = first
	}
	return r, nil
}
