package loadbalancer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/status"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// report says what the run came to: the status of the Service, the annotations to write on it, and when to look again.
func (r *reconciliation) report(ctx context.Context, d decide.Decision, done done, err error) (Outcome, error) {
	after := done.balancer
	switch a := d.Action.(type) {
	case decide.Wait:
		return Outcome{Record: r.proof()}, r.unread(err)
	case decide.Record:
		r.noteRefusal(d)
		return Outcome{Record: a.Annotations}, err
	default:
	}
	r.noteRefusal(d)
	o := Outcome{Record: r.proof(after)}
	restore, restores := d.Action.(decide.Restore)
	switch {
	case err != nil, d.Err != nil:
		if err == nil {
			r.noteRetargeted(d)
		}
		o.note(restore.Begins)
		return o, cmp.Or(err, problem.Retryable(d.Err))
	case !r.Live:
		return Outcome{Status: r.Asked.Present()}, nil
	}
	_, beside := d.Action.(decide.Beside)
	if o, err = r.told(after); err != nil && beside {
		return Outcome{}, err // the present balancer serves
	} else if err != nil {
		return o, err
	}
	if restores {
		o.note(restore.Begins)
	}
	o.note(r.missing(d, after))
	if beside {
		o.Again = problem.PollFirst
		return o, nil
	}
	return r.reportSecond(ctx, d, after, o)
}

// note adds annotations to write.
func (o *Outcome) note(annotations map[string]string) {
	if o.Record == nil && annotations != nil {
		o.Record = map[string]string{}
	}
	maps.Copy(o.Record, annotations)
}

// missing returns the annotations of a change that the Service does not have, now that the balancer is there.
func (r *reconciliation) missing(d decide.Decision, after cloud.Observed) map[string]string {
	made := cloud.Change{Before: after}
	if change := d.Change(); change != nil {
		made = change.Change
		made.Before = after
	}
	return r.Missing(made)
}

// reportSecond looks after second balancers of the Service.
func (r *reconciliation) reportSecond(ctx context.Context, d decide.Decision, after cloud.Observed, o Outcome) (Outcome, error) {
	before := *r.Facts.Balancer
	seen := slices.Concat(before.Duplicates, after.Duplicates, r.finder.unseen(after.ID))
	o, err := r.second.conclude(ctx, d, after, o)
	if err != nil {
		return o, err
	}
	if o.Again == 0 { // else a replacement goes on
		o.Again = soonest(r.second.prune(ctx, after, seen), r.finder.remaining(), r.Facts.Candidates.Again)
	}
	r.Memory.Told = after.ID
	if adjust, ok := d.Action.(decide.Adjust); ok && adjust.TargetsWait {
		r.again = soonest(r.again, problem.PollFirst)
	}
	o.Again = soonest(o.Again, r.again)
	return o, nil
}

// unseen returns the id of a balancer that this process just made for the Service, where another one is kept and no list showed it,
// nil when there is none. An id from the Service's annotation would be read here: whoever edits the Service could ask which there are.
func (r finder) unseen(kept string) []string {
	if mine := &r.Memory.Creation; mine.ID != kept && r.counts(mine) {
		return []string{mine.ID}
	}
	return nil
}

// remaining returns when to look again for others of the Service, 0 when all lists have shown what was made.
func (r finder) remaining() time.Duration {
	if r.Memory.Unlisted {
		return state.DuplicateWait
	}
	return 0
}

// proof returns the id annotation of a balancer that is certainly the Service's, although
// something is not done or has failed. What its user wrote there stays, so that a wrong text is said:
//
//	our UID tag   we created it  state    written
//	yes           –              active   yes
//	yes           –              other    no: the tag is proof, and one that fails is made anew
//	no            yes            any      yes: nothing else proves that it is the Service's
//	no            no             –        no
func (r *reconciliation) proof(after ...cloud.Observed) map[string]string {
	name := r.Asked.IDAnnotation
	if before := r.Facts.Balancer; before != nil {
		after = append([]cloud.Observed{*before}, after...)
	}
	for _, o := range after {
		tagged := ownership.IsTagged(o.Owner, r.Asked.Input.Owner)
		ours := tagged && o.State == cloud.BalancerActive || !tagged && o.ID != "" && o.ID == r.Memory.Created
		if name != "" && r.Live && o.Found && ours && r.Asked.Service.Annotations[name] == "" {
			return map[string]string{name: o.ID}
		}
	}
	return nil
}

// told returns what the Service is told about the balancer in its final state.
func (r *reconciliation) told(after cloud.Observed) (Outcome, error) {
	if after.State == cloud.BalancerFailed {
		err := fmt.Errorf("balancer %s has failed: %s", after.ID, cmp.Or(after.Detail, "the cloud does not say why"))
		r.say(problem.Warn(event.CloudFailure, err.Error()))
		return Outcome{}, err
	}
	told := status.Of(r.Asked, after)
	if len(told.Ingress) == 0 {
		return Outcome{Record: r.proof(after)}, &Pending{After: problem.PollFirst, Reason: "the balancer has no address yet"}
	}
	return Outcome{Status: told, Record: status.Record(r.Asked, *r.Facts.Balancer, after)}, nil
}
