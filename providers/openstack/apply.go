package openstack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// settleAfter is how long to wait after a change of a balancer before it is looked at: Octavia
// takes the next change only when this one is through, which is a second at best.
const settleAfter = time.Second

// busy is the progress of a change that is not the last one.
var busy = cloud.Progress{Pending: true, After: settleAfter}

// Apply implements cloud.Balancers. Octavia takes one change of a balancer at a time and answers
// 409 until it is through, so Apply makes the first one that is due and says "pending":
//
//	1  the security group is made and opened
//	2  the balancer's name and tags
//	3  listeners: made, changed, with their pools, members and monitors
//	4  listeners that are not wanted any more
//	5  the floating IP
//	6  the security group is closed
//
// 1 and 5 don't wait for Octavia; 6 waits until nothing else is left.
func (d *Driver) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	s, ok := change.Before.Native.(*snapshot)
	switch {
	case !ok && change.After == nil:
		return cloud.Progress{}, nil
	case !ok:
		return cloud.Progress{}, fmt.Errorf("changing balancer %s: it was not observed by this driver", change.Before.ID)
	case change.After == nil:
		return d.delete(ctx, s, change)
	case !change.Before.Found:
		return d.create(ctx, s, change)
	}
	return d.update(ctx, s, change)
}

func (d *Driver) update(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	if s.lb.Provisioning == statusError {
		_, detail := lifecycle(s.lb)
		return cloud.Progress{}, fmt.Errorf("changing balancer %s: %s", s.lb.ID, detail)
	}
	addresses := d.wantedAddresses(s, change)
	if d.guards(change) {
		if err := d.open(ctx, &s.guard, change.Spec, addresses); err != nil {
			return cloud.Progress{}, fmt.Errorf("opening the nodes to balancer %s: %w", s.lb.ID, err)
		}
	}
	next := d.nextStep(s, change)
	if next != nil {
		if err := d.take(ctx, s, next); err != nil {
			return cloud.Progress{}, d.keepServing(ctx, s, change, err)
		}
	}
	if err := d.settleFloatingIP(ctx, s, change); err != nil {
		return cloud.Progress{Pending: next != nil}, fmt.Errorf("changing the floating IP of balancer %s: %w", s.lb.ID, err)
	}
	if next != nil {
		return busy, nil
	}
	return cloud.Progress{}, d.shut(ctx, s, change, addresses)
}

// take makes one change of the balancer.
func (d *Driver) take(ctx context.Context, s *snapshot, next *step) error {
	if err := next.do(ctx); err != nil {
		return fmt.Errorf("%s of balancer %s: %w", next.what, s.lb.ID, err)
	}
	return nil
}

// keepServing brings the members of a pool up to date after the API refused a change for good:
// nodes come and go, whatever is wrong with an annotation. It returns what was refused.
func (d *Driver) keepServing(ctx context.Context, s *snapshot, change cloud.Change, refused error) error {
	if class := d.Classify(refused).Class; class != cloud.FailureInvalid && class != cloud.FailureQuota {
		return refused
	}
	for _, l := range change.After.Listeners {
		have := s.listenerOf(l.Key())
		if have == nil || s.pools[have.Pool].ID == "" {
			continue
		}
		if next := d.membersStep(s, s.pools[have.Pool], l, change); next != nil {
			return errors.Join(refused, d.take(ctx, s, next))
		}
	}
	return refused
}

// guards reports whether the change is also about a security group that is managed.
func (d *Driver) guards(change cloud.Change) bool {
	_, managed := change.After.ProviderFields[fieldGuarded]
	return managed && d.config.balancer.manageSecurityGroups
}

// shut closes the nodes to what is not wanted any more.
func (d *Driver) shut(ctx context.Context, s *snapshot, change cloud.Change, addresses []string) error {
	var err error
	switch {
	case change.Spec.Beside != nil: // that one needs what is open
	case d.guards(change):
		err = d.narrow(ctx, s.guard, change.Spec, addresses)
	case !d.config.balancer.manageSecurityGroups:
		err = d.dissolve(ctx, s.guard)
	}
	if err != nil {
		return fmt.Errorf("closing the nodes to balancer %s: %w", s.lb.ID, err)
	}
	return nil
}

// wantedAddresses are those of all members there will be.
func (d *Driver) wantedAddresses(s *snapshot, change cloud.Change) []string {
	var list []string
	for _, l := range change.After.Listeners {
		var present []member
		if have := s.listenerOf(l.Key()); have != nil {
			present = s.members[have.Pool]
		}
		for _, m := range d.wantedMembers(l, change, present, "") {
			list = append(list, m.Address)
		}
	}
	return list
}

// settleFloatingIP brings the floating IP to what is wanted:
//
//	scope     is at the port  does
//	internal  any             releases it
//	external  none            attaches one
//	external  none, follows   nothing, but one of upstream's gets the Service's UID, to be found
//	external  any             nothing: another loadBalancerIP is for new balancers. What names
//	                          the cluster follows its name
//
// A tenant has no say in it.
func (d *Driver) settleFloatingIP(ctx context.Context, s *snapshot, change cloud.Change) error {
	switch internal := change.After.Scope == cloud.ScopeInternal; {
	case change.Spec.Lookups[lookupTenant] != "" || isIPv6(s.lb.Address):
		return nil
	case internal:
		return d.release(ctx, s.floating, change.Spec)
	case s.floating == nil && d.following(change.Spec) != nil:
		return d.claimFloating(ctx, d.following(change.Spec), change.Spec.Ref.Owner)
	case s.floating != nil && d.formerFloating(s.floating.Description, change.Spec.Ref.Owner):
		return d.describeFloating(ctx, s.floating, change.Spec.Ref.Owner)
	case s.floating != nil:
		return nil
	}
	return d.attach(ctx, s, change.Spec)
}
