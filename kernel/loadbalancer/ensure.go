package loadbalancer

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
)

// Outcome is what Ensure says about the Service.
type Outcome struct {
	// Status is nil when Ensure failed.
	Status *corev1.LoadBalancerStatus
	// Record are annotations to write on the Service because they differ from what is
	// there; nil when none do. One that is "" has to go. They may come together with an error.
	Record map[string]string
	// Again is when the Service has to be looked at again, 0 when nothing is left to do.
	Again time.Duration
}

// Ensure brings the Service's balancer to what the Service asks for. An error may be
// *Pending: ask again after that time. Where the Service asks for something impossible, an
// existing balancer still gets its targets and the error lists all problems.
//
// Unless changes are really made, the outcome is the status the Service has.
func (m *Manager) Ensure(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (o Outcome, err error) {
	r, ctx, err := m.begin(ctx, svc, nodes)
	if err != nil {
		return Outcome{}, err
	}
	defer r.end()
	ctx = r.compare(ctx)
	defer func() { o.note(r.writer.annotations()) }()
	if r.Asked.Untouched() {
		r.say(r.Asked.LeftAlone()...)
		return Outcome{Status: r.Asked.Present()}, nil
	}
	if err := r.writer.goOn(ctx); err != nil {
		return Outcome{}, err
	}
	if err := r.refuse(ctx); err != nil {
		return Outcome{}, err
	}
	warnings := r.Asked.Warnings
	for {
		next, err := r.decide(ctx, decide.Case.Choose)
		if err != nil {
			return Outcome{Record: r.proof()}, r.unread(r.failed(ctx, err))
		}
		if _, waits := next.Action.(decide.Wait); !waits {
			r.say(append(warnings, next.Warnings...)...)
		}
		done, err := r.writer.perform(ctx, next)
		if warnings = nil; !done.decideAgain {
			outcome, err := r.report(ctx, next, done, err)
			if change := next.Change(); change != nil && next.Err == nil {
				err = r.bringTargets(ctx, change.Change, err)
			}
			return outcome, err
		}
	}
}

// bringTargets brings the targets to the nodes after a change of which the cloud has refused something: what serves until that is mended need
// not be what the change was about. It returns the error of the change, and when to ask again for targets.
func (r *reconciliation) bringTargets(ctx context.Context, change cloud.Change, err error) error {
	_, waits := errors.AsType[*Pending](err)
	if waits || !isRefusal(err) || !r.Live || !change.Before.Found || change.After == nil || r.writer.running() != nil {
		return err
	}
	r.Facts = decide.Facts{} // the change may have brought some of them
	if pending, waits := errors.AsType[*Pending](r.updateTargets(ctx)); waits {
		pending.Err = err
		return pending
	}
	return err
}
