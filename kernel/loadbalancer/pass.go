package loadbalancer

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// pass is one run for one Service: what it asks for and what is remembered of it.
type pass struct {
	request
	manager *Manager
	page    *page
	memory  *memory
	began   time.Time
	// held are the targets that the last decision kept for want of proof.
	held []cloud.InstanceID
	// surveyed says that the balancer was last seen in a survey.
	surveyed bool
	// revisit is when the balancer has to be looked at again for a part that is left, 0 for none.
	revisit time.Duration
}

// begin opens a pass, after other passes for the same Service have ended. The context it
// returns gives the calls to the cloud their priority.
func (m *Manager) begin(ctx context.Context, svc *corev1.Service) (*pass, context.Context, error) {
	page, err := m.book.open(ctx, svc.UID)
	if err != nil {
		return nil, ctx, err
	}
	p := &pass{request: read(svc, m.cloud, m.clusterID), manager: m, page: page, memory: &page.memory, began: time.Now()}
	return p, cloud.WithPriority(ctx, cloud.PriorityBalancer), nil
}

func (p *pass) end() { p.manager.book.close(p.service.UID, p.page) }

// forget drops what is remembered of the Service.
func (p *pass) forget() { *p.memory = memory{} }

// say records events, one for each reason.
func (p *pass) say(remarks ...remark) {
	object := event.Object{Kind: "Service", Namespace: p.service.Namespace, Name: p.service.Name, UID: string(p.service.UID)}
	for _, r := range merge(remarks) {
		p.manager.events.Record(object, r.reason, r.message)
	}
}

// failed says that the cloud failed, unless it was us who gave up, and returns the error as
// the caller shall see it.
func (p *pass) failed(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		p.say(failure(err))
	}
	return retryable(err)
}

func failure(err error) remark {
	return remark{event.CloudFailure, fmt.Sprintf("%s: %v", cloud.FailureOf(err).Class, err)}
}

// busy returns *Pending while the balancer is pending, when most clouds refuse changes.
func (p *pass) busy(observed cloud.Observed) error {
	if observed.State != cloud.BalancerPending {
		p.memory.pendingSince = time.Time{}
		return nil
	}
	if p.memory.pendingSince.IsZero() {
		p.memory.pendingSince = time.Now()
	}
	return &Pending{After: poll(time.Since(p.memory.pendingSince)), Reason: waiting}
}

const waiting = "the cloud is working on the balancer"

// live reports whether changes are really made.
func (p *pass) live() bool { return p.manager.executor.Mode() == run.Live }
