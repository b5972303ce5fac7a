package loadbalancer

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// pipeline is one run for one Service: what it asks for and what is remembered of it.
type pipeline struct {
	request.Request
	manager *Manager
	entry   *serviceEntry
	state   *serviceState
	began   time.Time
	// held are the targets that the last decision kept for want of proof.
	held []cloud.InstanceID
	// fromList says that the balancer was last seen in a bulk list.
	fromList bool
	// revisit is when the balancer has to be looked at again for a part that is left, 0 for none.
	revisit time.Duration
}

// begin starts a run, after other runs for the same Service have ended. The context it
// returns gives the calls to the cloud their priority.
func (m *Manager) begin(ctx context.Context, svc *corev1.Service) (*pipeline, context.Context, error) {
	entry, err := m.states.open(ctx, svc.UID)
	if err != nil {
		return nil, ctx, err
	}
	p := &pipeline{Request: request.Read(svc, m.cloud, m.clusterID), manager: m, entry: entry, state: &entry.state, began: time.Now()}
	return p, cloud.WithPriority(ctx, cloud.PriorityBalancer), nil
}

func (p *pipeline) end() { p.manager.states.close(p.Service.UID, p.entry) }

// forget drops what is remembered of the Service.
func (p *pipeline) forget() { *p.state = serviceState{} }

// say records events, one for each reason.
func (p *pipeline) say(warnings ...problem.Warning) {
	object := event.Object{Kind: "Service", Namespace: p.Service.Namespace, Name: p.Service.Name, UID: string(p.Service.UID)}
	for _, r := range problem.Merge(warnings) {
		p.manager.events.Record(object, r.Reason, r.Message)
	}
}

// failed says that the cloud failed, unless it was us who gave up, and returns the error as
// the caller shall see it.
func (p *pipeline) failed(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		p.say(problem.Failure(err))
	}
	return retryable(err)
}

// busy returns *Pending while the balancer is pending, when most clouds refuse changes.
func (p *pipeline) busy(observed cloud.Observed) error {
	if observed.State != cloud.BalancerPending {
		p.state.pendingSince = time.Time{}
		return nil
	}
	if p.state.pendingSince.IsZero() {
		p.state.pendingSince = time.Now()
	}
	return &Pending{After: poll(time.Since(p.state.pendingSince)), Reason: waiting}
}

const waiting = "the cloud is working on the balancer"

// live reports whether changes are really made.
func (p *pipeline) live() bool { return p.manager.executor.Mode() == run.Live }
