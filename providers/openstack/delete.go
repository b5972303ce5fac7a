package openstack

import (
	"context"
	"fmt"
	"net/url"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// delete removes what was made for the Service. The balancer, by whose mark the rest is known,
// goes last:
//
//	the balancer                        what goes
//	is gone                             what is left of floating IP and security group
//	has other Services, or the user's   the Service's listeners one by one, then its tags
//	has none                            floating IP, security group, the balancer as a whole
//
// What the Service has once, whatever its balancers, stays for another one of its own: the security
// group and the floating IP that is attached nowhere.
func (d *Driver) delete(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	if another := change.Replaced || change.Spec.Beside != nil; !another {
		if err := d.deleteSingle(ctx, s, change.Spec); err != nil {
			return cloud.Progress{}, err
		}
	}
	if !change.Before.Found {
		return cloud.Progress{}, nil
	}
	if !d.mayDelete(s, change.Spec) {
		return d.leave(ctx, s, change)
	}
	leave := d.release
	if change.Replaced {
		leave = d.park
	}
	if err := leave(ctx, s.floating, change.Spec); err != nil {
		return cloud.Progress{}, err
	}
	if !d.config.balancer.cascadeDelete {
		if next := d.emptyStep(s); next != nil {
			return busy, d.take(ctx, s, next)
		}
	}
	query := ""
	if d.config.balancer.cascadeDelete {
		query = "?" + url.Values{"cascade": {"true"}}.Encode()
	}
	_, err := d.balancer.Delete(ctx, d.balancer.ServiceURL(pathBalancers, s.lb.ID)+query, nil)
	if err != nil && !d.isNotFound(err) {
		return cloud.Progress{}, fmt.Errorf("deleting balancer %s: %w", s.lb.ID, err)
	}
	return cloud.Progress{Pending: err == nil, After: settleAfter}, nil
}

// deleteSingle deletes what the Service has once: its security group and the floating IP that is
// attached nowhere.
func (d *Driver) deleteSingle(ctx context.Context, s *snapshot, spec cloud.Spec) error {
	if err := d.dissolve(ctx, s.guard); err != nil {
		return err
	}
	if s.free == nil {
		return nil
	}
	return d.release(ctx, s.free, spec)
}

// leave takes the Service's listeners from a balancer that stays, then its tags.
func (d *Driver) leave(ctx context.Context, s *snapshot, change cloud.Change) (cloud.Progress, error) {
	for _, l := range d.tagged(s, change.Spec) {
		return busy, d.take(ctx, s, d.dropStep(s, &l))
	}
	for _, p := range d.unusedPools(s, change.Spec.Ref.Owner) {
		return busy, d.take(ctx, s, d.dropPoolStep(p.ID))
	}
	tags := d.replaceMarks(s.lb.Tags, nil, change.Spec.Ref.Owner)
	if len(tags) == len(s.lb.Tags) {
		return cloud.Progress{}, nil
	}
	return busy, d.take(ctx, s, &step{"removing the Service's tags", d.putting("loadbalancer", map[string]any{"tags": tags}, pathBalancers, s.lb.ID)})
}

// emptyStep removes a child of a balancer that has to be empty before it is deleted.
func (d *Driver) emptyStep(s *snapshot) *step {
	for i := range s.listeners {
		return d.dropStep(s, &s.listeners[i])
	}
	for id := range s.pools {
		return d.dropPoolStep(id)
	}
	return nil
}
