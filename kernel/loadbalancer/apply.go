package loadbalancer

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// apply makes the change of a decision, says what it amounts to and remembers it.
func (p *pipeline) apply(ctx context.Context, d decision) (cloud.Progress, error) {
	if !d.plan.Empty() && p.gone() {
		return cloud.Progress{}, &Pending{After: pollFirst, Reason: "the Service gives its load balancer up"}
	}
	before := p.state.settled
	if !d.plan.Empty() {
		// Until the whole change is known to have been made, any part of it may have been.
		p.state.settled = settled{}
	}
	if p.live() {
		p.rememberKept()
	}
	progress, err := p.execute(ctx, d)
	switch {
	case err != nil:
		return progress, p.failed(ctx, err)
	case !p.live():
		return progress, nil
	case d.plan.Empty() && d.whole:
		p.state.repeated = repetition{}
	case !d.plan.Empty():
		p.applied(d, before, progress)
	}
	p.say(problem.OfDriver(progress.Warnings)...)
	switch {
	case progress.Pending:
	case progress.Again > 0:
		// What is left will be needed again, and is neither drift nor a cloud that keeps nothing.
		p.revisit, p.state.repeated = progress.Again, repetition{}
	default:
		p.state.settle(d, before)
		p.state.rememberBrought(d)
	}
	return progress, nil
}

// gone reports whether the cache shows by now that the Service gives its balancer up. This run may
// have waited for the deletion, after which nobody would delete what it makes or marks. A cache
// without any Service knows nothing.
func (p *pipeline) gone() bool {
	all := p.manager.services()
	at := slices.IndexFunc(all, func(svc *corev1.Service) bool { return svc.UID == p.Service.UID })
	return len(all) > 0 && (at < 0 || isDeleting(all[at]))
}

// execute makes the change. What was read before it began may not be true any more.
func (p *pipeline) execute(ctx context.Context, d decision) (cloud.Progress, error) {
	progress, err := p.manager.executor.Apply(ctx, d.plan, d.change)
	if p.live() && !d.plan.Empty() {
		p.state.wrote = time.Now()
		if d.change.After == nil || p.adopts(d) {
			p.manager.lists.Expire()
		}
	}
	return progress, err
}

// applied says what a change amounts to, now that it has been made.
func (p *pipeline) applied(d decision, before settled, progress cloud.Progress) {
	again := p.again(d)
	first := again.times == 1
	if undone := drifted(d, before); len(undone) > 0 && first {
		p.say(problem.Warn(event.DriftRepaired, "brought back: "+difference.Summary(undone)))
		p.manager.metrics.Add(metric.Drifts, 1, p.manager.cloud.Name)
	}
	switch {
	case !p.adopts(d):
	case d.change.Before.Shared:
		p.say(problem.Warn(event.Adopted, "this Service shares balancer "+d.change.Before.ID+" now; it has only its own ports there"))
	default:
		p.say(problem.Warn(event.Adopted, "balancer "+d.change.Before.ID+" is this Service's now"))
	}
	p.state.repeated = again.with(progress.Step)
	if created := progress.Observed; created != nil && !d.change.Before.Found {
		p.state.created = created.ID
		p.state.refusals = 0
	}
}

// adopts reports whether the decision puts our marks on a balancer that did not have them.
func (p *pipeline) adopts(d decision) bool {
	if d.change.After == nil || d.change.Before.Owner.UID == p.Spec.Ref.Owner.UID {
		return false
	}
	for _, op := range d.change.Operations {
		if op.Field == cloud.FieldOwnershipTags {
			return true
		}
	}
	return false
}
