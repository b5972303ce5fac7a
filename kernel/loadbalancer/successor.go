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
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
)

// succession is a run as far as it is about a second balancer of the Service: the one that takes the place
// of the present one, the one whose place was taken, or a duplicate.
type succession struct{ *pipeline }

// advance carries out a step towards the new balancer. Where the step fails the present one is still
// looked after.
func (p succession) advance(ctx context.Context, d decide.Decision) (cloud.Observed, error) {
	if d.Change.After == nil {
		if err := p.deleteUnusable(ctx, *d.Change.Input.Beside, d.Change.Before); err != nil {
			return cloud.Observed{}, p.meanwhile(ctx, d, err)
		}
	} else {
		p.state.Duplicates = nil
	}
	created := p.state.Created
	progress, err := p.apply(ctx, d)
	if !d.Change.Before.Found {
		p.state.Successor, p.state.Created = p.state.Created, created
	}
	switch {
	case err != nil:
		return cloud.Observed{}, p.meanwhile(ctx, d, err)
	case d.Plan.Empty():
		return d.Change.Before, nil
	}
	if d.Change.After == nil && !progress.More {
		p.state.Successor, p.state.Duplicates = "", nil
		p.state.FailedCreation.Count(d.Change.Before.ID)
	}
	p.state.PendingSince = time.Now()
	return cloud.Observed{}, waitFor(progress, "the new balancer is being made; the present one serves")
}

// meanwhile changes what differs on the present balancer and returns err.
func (p succession) meanwhile(ctx context.Context, d decide.Decision, err error) error {
	if _, failed := p.apply(ctx, *d.Meanwhile); failed != nil {
		return failed
	}
	return err
}

// deleteUnusable returns why the new balancer, which cannot take the place of the one that serves, is not
// deleted yet, nil when it is. It waits as long as for a duplicate, and longer each time one failed.
func (p succession) deleteUnusable(ctx context.Context, serves, next cloud.Observed) error {
	seen := p.state.Note([]string{next.ID}, serves.ID)
	if wait := max(state.DuplicateWait, p.state.FailedCreation.Wait()) - time.Since(seen.Since); wait > 0 {
		return &Pending{After: wait, Reason: strings.TrimSuffix("the new balancer cannot take the place of the present one: "+next.Detail, ": ")}
	}
	left, err := p.doubt(ctx, serves, next)
	switch {
	case left != "":
		return p.failed(ctx, &cloud.Error{Op: "deleting balancer " + next.ID, Err: errors.New(left)})
	case err != nil:
		return p.failed(ctx, err)
	}
	return nil
}

// conclude ends a replacement that is through or was given up: the balancer that does not serve is
// deleted, once the Service's status names the one that does, and then the annotation goes.
func (p succession) conclude(ctx context.Context, f decide.Finding, d decide.Decision, o Outcome) (Outcome, error) {
	if p.Replacing == nil || d.Replaces || !p.live() || f.Observed.ID == "" {
		return o, nil
	}
	if !d.Change.Before.Found {
		o.Again = pollFirst // whether it is what was asked for is seen in the next run
		return o, nil
	}
	switch again, err := p.leftover(ctx, f.Observed, o); {
	case err != nil:
		return Outcome{Record: o.Record}, err
	case again > 0:
		o.Again = again
		return o, nil
	}
	p.state.Successor = ""
	if p.Replacing.Refused == "" && !d.KeepsImmutable() || !annotation.AllowReplacement.Bool(p.Values) {
		o.note(map[string]string{annotation.Replacement.Name: ""})
	}
	return o, nil
}

// leftover deletes the balancer that does not serve, and returns when to look again, 0 when there is none
// or it is left.
func (p succession) leftover(ctx context.Context, serves cloud.Observed, o Outcome) (again time.Duration, err error) {
	if p.manager.cloud.Replacer == nil {
		return 0, nil
	}
	other, err := p.findSuccessor(ctx, serves)
	switch {
	case err != nil:
		return 0, p.failed(ctx, err)
	case !other.Found:
		return 0, nil
	case !apiequality.Semantic.DeepEqual(p.Service.Status.LoadBalancer.Ingress, o.Status.Ingress):
		return pollFirst, nil
	}
	return p.retire(ctx, other, serves)
}

// retire deletes the balancer that does not serve any more, with the proofs of a duplicate, and returns
// when to look again. The one that the annotation says was to be replaced nobody made just now, so
// it need not wait. What is perhaps not the Service's alone is left.
func (p succession) retire(ctx context.Context, other, serves cloud.Observed) (again time.Duration, err error) {
	seen := p.state.Note([]string{other.ID}, serves.ID)
	switch {
	case other.State == cloud.BalancerPending:
		return pollFirst, nil
	case other.ID != p.Replacing.Of && seen.Wait() > 0:
		return seen.Wait(), nil
	}
	p.state.Duplicates = nil
	left, err := p.doubt(ctx, serves, other)
	switch {
	case err != nil:
		return 0, p.failed(ctx, err)
	case left != "":
		p.say(leftWarning(other.ID, left))
		return 0, nil
	}
	in := p.Input
	in.ID, in.Beside = other.ID, &serves
	d := p.policy.Removal(in, other, "balancer "+serves.ID+" serves in its place")
	d.Change.Replaced = true
	if _, err := p.execute(ctx, d); err != nil {
		return 0, p.failed(ctx, err)
	}
	return pollFirst, p.goesOn()
}
