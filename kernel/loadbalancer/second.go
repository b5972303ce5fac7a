package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

func isBeside(d decide.Decision) bool {
	_, beside := d.Action.(decide.Beside)
	return beside
}

// advance carries out a step towards the new balancer. Where the step fails the present one is still
// looked after.
func (r second) advance(ctx context.Context, d decide.Decision, b decide.Beside) (cloud.Observed, error) {
	if b.After == nil {
		if err := r.deleteUnusable(ctx, *b.Input.Beside, b.Before); err != nil {
			return cloud.Observed{}, r.meanwhile(ctx, b, err)
		}
	} else {
		r.Memory.Duplicates = nil
	}
	created := r.Memory.Created
	progress, err := r.writer.apply(ctx, d)
	if !b.Before.Found {
		r.Memory.Successor, r.Memory.Created = r.Memory.Created, created
	}
	switch {
	case err != nil:
		return cloud.Observed{}, r.meanwhile(ctx, b, err)
	case d.Plan.Empty():
		return b.Before, nil
	}
	if b.After == nil && !progress.More {
		r.Memory.Successor, r.Memory.Duplicates = "", nil
		r.Memory.FailedCreation.Count(b.Before.ID)
	}
	r.Memory.SetPending(time.Now())
	return cloud.Observed{}, problem.WaitFor(progress, "the new balancer is being made; the present one serves")
}

// meanwhile changes what differs on the present balancer and returns err.
func (r second) meanwhile(ctx context.Context, b decide.Beside, err error) error {
	if _, failed := r.writer.apply(ctx, b.Present); failed != nil {
		return failed
	}
	return err
}

// deleteUnusable returns why the new balancer, which cannot take the place of the one that serves, is not
// deleted yet, nil when it is. It waits as long as for a duplicate, and longer each time one failed.
func (r second) deleteUnusable(ctx context.Context, serves, next cloud.Observed) error {
	seen := r.Memory.Note([]string{next.ID}, serves.ID)
	if wait := max(state.DuplicateWait, r.Memory.FailedCreation.Wait()) - time.Since(seen.Since); wait > 0 {
		return &Pending{After: wait, Reason: strings.TrimSuffix("the new balancer cannot take the place of the present one: "+next.Detail, ": ")}
	}
	left, err := r.doubt(ctx, serves, next)
	switch {
	case left != "":
		return r.failed(ctx, &cloud.Error{Op: "deleting balancer " + next.ID, Err: errors.New(left)})
	case err != nil:
		return r.failed(ctx, err)
	}
	return nil
}

// doubt says why a second balancer is perhaps not the Service's alone, "" when it is. It is an error
// when that cannot be known.
func (r second) doubt(ctx context.Context, kept, other cloud.Observed) (string, error) {
	if why := r.manager.owners.Doubt(r.Asked, kept, other); why != "" {
		return why, nil
	}
	return "", r.manager.trust.certain(ctx, r.began)
}

// conclude ends a replacement that is through or was given up: the balancer that does not serve is
// deleted, once the Service's status names the one that does, and then the annotation goes.
func (r second) conclude(ctx context.Context, d decide.Decision, serves cloud.Observed, o Outcome) (Outcome, error) {
	if r.Asked.Replacing == nil || !r.Live || serves.ID == "" {
		return o, nil
	}
	if !r.Facts.Balancer.Found {
		o.Again = problem.PollFirst // whether it is what was asked for is seen in the next run
		return o, nil
	}
	switch again, err := r.leftover(ctx, serves, o); {
	case err != nil:
		return Outcome{Record: o.Record}, err
	case again > 0:
		o.Again = again
		return o, nil
	}
	r.Memory.Successor = ""
	if r.Asked.Replacing.Refused == "" && !d.KeepsImmutable() || !annotation.AllowReplacement.Bool(r.Asked.Values) {
		o.note(map[string]string{annotation.Replacement.Name: ""})
	}
	return o, nil
}

// leftover deletes the balancer that does not serve, and returns when to look again, 0 when there is none
// or it is left.
func (r second) leftover(ctx context.Context, serves cloud.Observed, o Outcome) (again time.Duration, err error) {
	if r.manager.cloud.Replacer == nil {
		return 0, nil
	}
	other, err := r.finder.findSuccessor(ctx, serves)
	switch {
	case err != nil:
		return 0, r.failed(ctx, err)
	case !other.Found:
		return 0, nil
	case !apiequality.Semantic.DeepEqual(r.Asked.Service.Status.LoadBalancer.Ingress, o.Status.Ingress):
		return problem.PollFirst, nil
	}
	return r.retire(ctx, other, serves)
}

// retire deletes the balancer that does not serve any more, with the proofs of a duplicate, and returns
// when to look again. The one that the annotation says was to be replaced nobody made just now, so
// it need not wait. What is perhaps not the Service's alone is left.
func (r second) retire(ctx context.Context, other, serves cloud.Observed) (again time.Duration, err error) {
	seen := r.Memory.Note([]string{other.ID}, serves.ID)
	switch {
	case other.State == cloud.BalancerPending:
		return problem.PollFirst, nil
	case other.ID != r.Asked.Replacing.Of && seen.Wait() > 0:
		return seen.Wait(), nil
	}
	r.Memory.Duplicates = nil
	left, err := r.doubt(ctx, serves, other)
	switch {
	case err != nil:
		return 0, r.failed(ctx, err)
	case left != "":
		r.say(leftWarning(other.ID, left))
		return 0, nil
	}
	in := r.Asked.Input
	in.ID, in.Beside = other.ID, &serves
	if _, err := r.writer.write(ctx, r.Retirement(in, other, "balancer "+serves.ID+" serves in its place")); err != nil {
		return 0, r.failed(ctx, err)
	}
	return problem.PollFirst, r.writer.running()
}

func leftWarning(id, why string) problem.Warning {
	return problem.Warn(event.DuplicateFound, fmt.Sprintf("balancer %s is left: %s", id, why))
}

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
func (r second) prune(ctx context.Context, kept cloud.Observed, seen []string) (again time.Duration) {
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

// deleteDuplicate deletes a second balancer, and says why it does not. One that is gone is fine.
func (r second) deleteDuplicate(ctx context.Context, kept cloud.Observed, id string) (left string, err error) {
	in := r.Asked.Input
	in.ID, in.Deleting, in.Refused = id, true, []string{kept.ID}
	observed, err := r.manager.cloud.Balancers.Observe(ctx, in)
	switch {
	case err != nil:
		return "", err
	case !observed.Found || observed.ID != id:
		if mine := &r.Memory.Creation; mine.ID == id && r.finder.counts(mine) {
			return "", unshown(mine)
		}
		return "", nil
	case observed.State == cloud.BalancerPending:
		return "", &Pending{After: state.DuplicateWait, Reason: problem.Working}
	}
	if left, err = r.doubt(ctx, kept, observed); left != "" || err != nil {
		return left, err
	}
	in.Findings, in.Beside = observed.Findings, &kept // what the Service has once stays
	d := r.Removal(in, observed, "the Service has balancer "+kept.ID+" too, which is kept")
	progress, err := r.manager.executor.Apply(ctx, d.Plan, d.Change().Change)
	r.writer.noteDeletion(d, id, err)
	r.writer.follow(progress) //nolint:contextcheck // it asks when this run has ended
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
