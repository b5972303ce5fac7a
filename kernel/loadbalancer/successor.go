package loadbalancer

import (
	"context"
	"errors"
	"strings"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
)

// advance carries out a step towards the new balancer. Where the step fails the present one is still
// looked after.
func (r *reconciliation) advance(ctx context.Context, d decide.Decision, b decide.Beside) (cloud.Observed, error) {
	if b.After == nil {
		if err := r.deleteUnusable(ctx, *b.Input.Beside, b.Before); err != nil {
			return cloud.Observed{}, r.meanwhile(ctx, b, err)
		}
	} else {
		r.Memory.Duplicates = nil
	}
	created := r.Memory.Created
	progress, err := r.apply(ctx, d)
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
	r.Memory.PendingSince = time.Now()
	return cloud.Observed{}, problem.WaitFor(progress, "the new balancer is being made; the present one serves")
}

// meanwhile changes what differs on the present balancer and returns err.
func (r *reconciliation) meanwhile(ctx context.Context, b decide.Beside, err error) error {
	if _, failed := r.apply(ctx, b.Present); failed != nil {
		return failed
	}
	return err
}

// deleteUnusable returns why the new balancer, which cannot take the place of the one that serves, is not
// deleted yet, nil when it is. It waits as long as for a duplicate, and longer each time one failed.
func (r *reconciliation) deleteUnusable(ctx context.Context, serves, next cloud.Observed) error {
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

// conclude ends a replacement that is through or was given up: the balancer that does not serve is
// deleted, once the Service's status names the one that does, and then the annotation goes.
func (r *reconciliation) conclude(ctx context.Context, d decide.Decision, serves cloud.Observed, o Outcome) (Outcome, error) {
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
func (r *reconciliation) leftover(ctx context.Context, serves cloud.Observed, o Outcome) (again time.Duration, err error) {
	if r.manager.cloud.Replacer == nil {
		return 0, nil
	}
	other, err := r.findSuccessor(ctx, serves)
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
func (r *reconciliation) retire(ctx context.Context, other, serves cloud.Observed) (again time.Duration, err error) {
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
	if _, err := r.write(ctx, r.Retirement(in, other, "balancer "+serves.ID+" serves in its place")); err != nil {
		return 0, r.failed(ctx, err)
	}
	return problem.PollFirst, r.running()
}

func isBeside(d decide.Decision) bool {
	_, beside := d.Action.(decide.Beside)
	return beside
}
