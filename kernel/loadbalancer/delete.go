package loadbalancer

import (
	"cmp"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// Delete removes the Service's balancer. It returns nil only when nothing of ours is left;
// *Pending means that the cloud is still at it.
//
//	disown  found    ours  retain  it
//	yes     -        -     -       does nothing
//	no      no       -     -       does nothing
//	no      yes      no    -       does nothing, with an event
//	no      yes      yes   yes     removes our marks
//	no      yes      yes   no      deletes it, and looks for more
//	no      remains  -     yes     does nothing
//	no      remains  -     no      deletes what is left of it
func (m *Manager) Delete(ctx context.Context, svc *corev1.Service) error {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return err
	}
	defer p.end()
	if p.disowned() {
		p.forget()
		return nil
	}
	p.spec.Leaving = true
	p.adopt = "" // what was never taken over is not ours to delete
	f, err := p.seek(ctx, p.read)
	if err != nil {
		return p.failed(ctx, err)
	}
	p.say(ofProblems(f.problems())...)
	if !f.observed.Found && (p.retain || !f.observed.Remains) {
		p.forget()
		return nil
	}
	if err := p.busy(f.observed); err != nil {
		return err
	}
	if p.retain {
		return p.release(ctx, f.observed)
	}
	return p.remove(ctx, f.observed)
}

// release removes our marks from the balancer and leaves it.
func (p *pass) release(ctx context.Context, observed cloud.Observed) error {
	after := observed.Balancer.Clone()
	after.Marks = nil
	progress, err := p.write(ctx, p.decision(p.complete(observed, census{}), observed, &after, Diff(observed.Balancer, after)))
	if err != nil {
		return err
	}
	if progress.Pending {
		return &Pending{After: cmp.Or(progress.After, pollFirst), Reason: waiting}
	}
	p.say(remark{event.Retained, "balancer " + observed.ID + " was kept"})
	p.forget()
	return nil
}

// remove deletes the balancer and returns nil once no other of ours is found either: a
// Service can have two when its id annotation was changed by hand.
func (p *pass) remove(ctx context.Context, observed cloud.Observed) error {
	operation := removal(observed, "the Service no longer wants it")
	progress, err := p.write(ctx, p.decision(p.complete(observed, census{}), observed, nil, []cloud.Operation{operation}))
	if err != nil {
		return err
	}
	gone := &Pending{After: cmp.Or(progress.After, pollFirst), Reason: "the balancer is being deleted"}
	if progress.Pending {
		return gone
	}
	f, err := p.find(ctx, p.read)
	if err != nil {
		return p.failed(ctx, err)
	}
	if f.observed.Found || f.observed.Remains {
		return gone
	}
	p.forget()
	return nil
}

// write makes a change that ends the Service's hold on the balancer. Where changes are not
// really made it fails, so that nobody believes the balancer gone.
func (p *pass) write(ctx context.Context, d decision) (cloud.Progress, error) {
	progress, err := p.execute(ctx, d)
	switch {
	case err != nil:
		return progress, p.failed(ctx, err)
	case !p.live():
		return progress, fmt.Errorf("balancer %s stays: mode %s changes nothing", d.change.Before.ID, p.manager.executor.Mode())
	}
	return progress, nil
}
