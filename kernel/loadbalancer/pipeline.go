package loadbalancer

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// pipeline is one run for one Service: what it asks for and what is remembered of it.
type pipeline struct {
	finder
	policy decide.Policy
	entry  *state.Entry
	// revisit is when the balancer has to be looked at again for a part that is left, 0 for none.
	revisit time.Duration
	// record are annotations to write on the Service, whatever the run comes to.
	record map[string]string
	// settled says that all second balancers were looked after that the run saw.
	settled bool
	// recheckMachines is when it has to be looked at again because machines are left out that may be hidden, 0 for none.
	recheckMachines time.Duration
	// compares says that everything is to be compared with the cloud, see Compare.
	compares bool
	// impossible is what the Service asks for that needs no reading to be refused.
	impossible []problem.Warning
	// machines are the candidates of this run, see machines.
	machines string
	// unready says that the kubelet of a Node that is offered does not report.
	unready bool
}

// begin starts a run, after other runs for the same Service have ended. The context it
// returns gives the calls to the cloud their priority.
func (m *Manager) begin(ctx context.Context, svc *corev1.Service) (*pipeline, context.Context, error) {
	r := request.Read(svc, m.cloud, m.cluster) // before the state is opened: a driver's check of an annotation may panic
	entry, err := m.states.Open(ctx, svc.UID)
	if err != nil {
		return nil, ctx, err
	}
	p := &pipeline{
		finder: finder{Request: &r, manager: m, state: &entry.State, began: time.Now()},
		policy: decide.Policy{Request: &r, Cloud: m.cloud, State: &entry.State}, entry: entry,
	}
	p.state.Before = state.DuplicatesOf(svc)
	return p, p.purpose(ctx, false), nil
}

// compare makes the run a comparison with the cloud where one is due, and returns the context for its calls.
func (p *pipeline) compare(ctx context.Context) context.Context {
	if _, p.compares = p.manager.due.LoadAndDelete(p.Service.UID); !p.compares {
		return ctx
	}
	if p.recalls() {
		p.state.Last = nil
	}
	return p.purpose(ctx, true)
}

// goesOn returns *Pending while operations of the last change go on. What was read before they had ended may not
// be true any more.
func (p *pipeline) goesOn() error {
	switch running := p.state.Running; {
	case running == nil:
	case !running.Ended():
		return &Pending{After: operationWait, Ended: running.Done(), Reason: waiting}
	case running.At().After(p.state.Wrote):
		p.state.Wrote = running.At()
		p.outdates(true)
	}
	return nil
}

// lastChange is goesOn, and returns once what an operation of the last change failed with: the change
// failed.
func (p *pipeline) lastChange(ctx context.Context) error {
	running := p.state.Running
	if err := p.goesOn(); err != nil || running == nil {
		return err
	}
	p.state.Running = nil
	if err := running.Err(); err != nil {
		p.state.Late, p.state.Repeated, p.state.Rest = running, state.Repetition{}, nil
		p.noteFailedCreation()
		return p.failed(ctx, err)
	}
	p.removed = running == p.state.Removal && running.Succeeded()
	if !running.Succeeded() { // what they did is not known
		p.state.Rest = nil
	}
	return nil
}

func (p *pipeline) end() {
	p.state.Before = nil
	p.manager.states.Close(p.Service.UID, p.entry)
}

// forget drops what is remembered of the Service.
func (p *pipeline) forget() { *p.state = state.Service{} }

// say records events, one for each reason.
func (p *finder) say(warnings ...problem.Warning) {
	object := event.Object{Kind: "Service", Namespace: p.Service.Namespace, Name: p.Service.Name, UID: string(p.Service.UID)}
	for _, r := range problem.Told(warnings, p.Service.Namespace, p.Service.Name) {
		p.manager.events.Record(object, r.Reason, r.Message)
	}
}

// failed says that the cloud failed, unless it was us who gave up or who wait, and returns the error as
// the caller shall see it.
func (p *pipeline) failed(ctx context.Context, err error) error {
	if _, waits := errors.AsType[*Pending](err); !waits && ctx.Err() == nil {
		p.say(problem.Failure(err))
	}
	return problem.Retryable(err)
}

// busy returns *Pending while the balancer is pending, when most clouds refuse changes.
func (p *pipeline) busy(observed cloud.Observed) error {
	pending := observed.State == cloud.BalancerPending
	if since := p.state.PendingFor(pending); pending {
		return &Pending{After: lookAfter(since), Reason: waiting}
	}
	return nil
}

const waiting = "the cloud is working on the balancer"

// live reports whether changes are really made.
func (p *pipeline) live() bool { return p.manager.executor.Mode() == run.Live }
