package loadbalancer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// prune deletes second balancers of the Service, and returns when to look again, 0 for never. The
// one that the Service records and publishes is kept. Another one is deleted when
//
//	proof                        how it is known
//	nobody made it just now      it was seen DuplicateWait ago
//	it is this Service's         it carries its UID and this cluster's id, and was read itself
//	nobody uses it               no Service records its id or publishes an address of it
//	it is the right account      trust
//
// All else is left, and said.
func (r *reconciliation) prune(ctx context.Context, kept cloud.Observed, seen []string) (again time.Duration) {
	r.settled = r.looked || r.Memory.Duplicates != nil
	if r.Asked.Replacing != nil {
		r.Memory.Duplicates = nil // one of both takes the place of the other
		return 0
	}
	d := r.Memory.Note(seen, kept.ID)
	if d == nil || !r.Live {
		return 0
	}
	if r.Asked.Retain || r.Asked.Adopt != "" {
		r.Memory.Duplicates = nil // it may be the one that its user left behind
		r.say(problem.Warn(event.DuplicateFound, fmt.Sprintf("%s carries this Service's ownership tags beside %s, and is left, because the Service keeps or adopts its balancer", strings.Join(d.IDs, ", "), kept.ID)))
		return 0
	}
	if len(seen) > 0 {
		r.say(problem.Warn(event.DuplicateFound, fmt.Sprintf("%s carries this Service's ownership tags beside %s, which is kept; what is proved to be unused is deleted", strings.Join(d.IDs, ", "), kept.ID)))
	}
	if r.Asked.Recorded != kept.ID || !status.Tells(r.Asked, kept) {
		d.Since = time.Now()
	}
	if wait := d.Wait(); wait > 0 {
		return wait
	}
	r.Memory.Duplicates = nil
	for _, id := range d.IDs {
		left, err := r.deleteDuplicate(ctx, kept, id)
		if err != nil {
			r.Memory.Note([]string{id}, kept.ID)
			left, again = err.Error(), state.DuplicateWait
		}
		if left != "" {
			r.say(leftWarning(id, left))
		}
	}
	return again
}

func leftWarning(id, why string) problem.Warning {
	return problem.Warn(event.DuplicateFound, fmt.Sprintf("balancer %s is left: %s", id, why))
}

// deleteDuplicate deletes a second balancer, and says why it does not. One that is gone is fine.
func (r *reconciliation) deleteDuplicate(ctx context.Context, kept cloud.Observed, id string) (left string, err error) {
	in := r.Asked.Input
	in.ID, in.Deleting, in.Refused = id, true, []string{kept.ID}
	observed, err := r.manager.cloud.Balancers.Observe(ctx, in)
	switch {
	case err != nil:
		return "", err
	case !observed.Found || observed.ID != id:
		if mine := &r.Memory.Creation; mine.ID == id && r.counts(mine) {
			return "", unshown(mine)
		}
		return "", nil
	case observed.State == cloud.BalancerPending:
		return "", &Pending{After: state.DuplicateWait, Reason: problem.Working}
	}
	if left, err = r.doubt(ctx, kept, observed); left != "" || err != nil {
		return left, err
	}
	in.Lookups, in.Beside = observed.Lookups, &kept // what the Service has once stays
	d := r.Removal(in, observed, "the Service has balancer "+kept.ID+" too, which is kept")
	progress, err := r.manager.executor.Apply(ctx, d.Plan, d.Change().Change)
	r.noteDeletion(d, id, err)
	r.Memory.Running = r.manager.executor.Follow(r.Memory.Running, progress) //nolint:contextcheck // it asks when this run has ended
	switch {
	case err != nil:
		return "", err
	case progress.More, len(progress.Operations) > 0:
		return "", problem.WaitFor(progress, problem.Working)
	}
	r.manager.lists.Expire(time.Now())
	r.manager.metrics.Add(metric.Duplicates, 1, r.manager.cloud.Name)
	r.say(problem.Warn(event.DuplicateDeleted, fmt.Sprintf("balancer %s was deleted: the Service has %s", id, kept.ID)))
	return "", nil
}

// doubt says why a second balancer is perhaps not the Service's alone, "" when it is. It is an error
// when that cannot be known.
func (r *reconciliation) doubt(ctx context.Context, kept, other cloud.Observed) (string, error) {
	if why := r.manager.owners.Doubt(r.Asked, kept, other); why != "" {
		return why, nil
	}
	return "", r.manager.trust.certain(ctx, r.began)
}
