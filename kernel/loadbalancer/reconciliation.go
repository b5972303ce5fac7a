package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/keymutex"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Pending is what an error of this package is where the cloud is only busy.
type Pending = problem.Pending

// operationWait is the wait while operations run, whose end is told.
const operationWait = time.Minute

// reconciliation is one run for one Service: the case that it decides, and what it notes on the way.
type reconciliation struct {
	decide.Case
	manager *Manager
	entry   *entry
	began   time.Time
	nodes   []*corev1.Node
	// refused are the ids of balancers that this run has seen, and that are not the Service's.
	refused []string
	// removed says that the cloud has just told the good end of the deletion of the balancer that the Service gives up.
	removed bool
	// looked says that a list has shown which balancers the Service has.
	looked bool
	// settled says that all second balancers were looked after that the run saw.
	settled bool
	// compares says that everything is to be compared with the cloud, see Compare.
	compares bool
	// impossible is what the Service asks for that needs no reading to be refused.
	impossible []problem.Warning
	// record are annotations to write on the Service, whatever the run comes to.
	record map[string]string
	// again is when the balancer has to be looked at again for a part that is left, 0 for none.
	again time.Duration
}

// begin starts a run, after other runs for the same Service have ended. The context it
// returns gives the calls to the cloud their priority.
func (m *Manager) begin(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (*reconciliation, context.Context, error) {
	asked := request.Read(svc, m.cloud, m.cluster) // before the state is opened: a driver's check of an annotation may panic
	memory, err := m.states.open(ctx, svc.UID)
	if err != nil {
		return nil, ctx, err
	}
	memory.State.Before = state.DuplicatesOf(svc)
	r := &reconciliation{
		Case:    decide.Case{Asked: &asked, Cloud: m.cloud, Memory: &memory.State, Live: m.executor.Mode() == run.Live},
		manager: m, entry: memory, began: time.Now(), nodes: nodes,
	}
	return r, r.priority(ctx, false), nil
}

// compare makes the run a comparison with the cloud where one is due, and returns the context for its calls.
func (r *reconciliation) compare(ctx context.Context) context.Context {
	if _, r.compares = r.manager.due.LoadAndDelete(r.Asked.Service.UID); !r.compares {
		return ctx
	}
	if r.recalls() {
		r.Memory.Last = nil
	}
	return r.priority(ctx, true)
}

// running returns *Pending while operations of the last change go on. What was read before they had ended may not
// be true any more.
func (r *reconciliation) running() error {
	switch running := r.Memory.Running; {
	case running == nil:
	case !running.Ended():
		return &Pending{After: operationWait, Ended: running.Done(), Reason: problem.Working}
	case running.At().After(r.Memory.Wrote):
		r.Memory.Wrote = running.At()
		r.outdate(true)
	}
	return nil
}

// lastChange is running, and returns once what an operation of the last change failed with: the change
// failed.
func (r *reconciliation) lastChange(ctx context.Context) error {
	running := r.Memory.Running
	if err := r.running(); err != nil || running == nil {
		return err
	}
	r.Memory.Running = nil
	if err := running.Err(); err != nil {
		r.Memory.Late, r.Memory.Repeated, r.Memory.Rest = running, state.Repetition{}, nil
		r.noteFailedCreation()
		return r.failed(ctx, err)
	}
	r.removed = running == r.Memory.Removal && running.Succeeded()
	if !running.Succeeded() { // what they did is not known
		r.Memory.Rest = nil
	}
	return nil
}

func (r *reconciliation) end() {
	r.Memory.Before = nil
	r.manager.states.close(r.Asked.Service.UID, r.entry)
}

// forget drops what is remembered of the Service.
func (r *reconciliation) forget() { *r.Memory = state.Service{} }

// say records events, one for each reason.
func (r *reconciliation) say(warnings ...problem.Warning) {
	object := event.Object{Kind: "Service", Namespace: r.Asked.Service.Namespace, Name: r.Asked.Service.Name, UID: string(r.Asked.Service.UID)}
	for _, w := range problem.Told(warnings, object.Namespace, object.Name) {
		r.manager.events.Record(object, w.Reason, w.Message)
	}
}

// failed says that the cloud failed, unless it was us who gave up or who wait, and returns the error as
// the caller shall see it.
func (r *reconciliation) failed(ctx context.Context, err error) error {
	if _, waits := errors.AsType[*Pending](err); !waits && ctx.Err() == nil {
		r.say(problem.Failure(err))
	}
	return problem.Retryable(err)
}

// store keeps what is remembered of each Service, by UID. An entry is open for one run
// at a time, so that what a run observed is still true when it writes. The zero store is empty.
type store struct {
	turns keymutex.Mutex

	mu    sync.Mutex
	known map[types.UID]state.Service
}

// entry is what is remembered of one Service, for the run that has it open.
type entry struct {
	State state.Service
	close func()
}

// open waits until no other run has the entry of the Service open.
func (s *store) open(ctx context.Context, uid types.UID) (*entry, error) {
	unlock, err := s.turns.Lock(ctx, string(uid))
	if err != nil {
		return nil, fmt.Errorf("waiting for another run for the same Service: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &entry{State: s.known[uid], close: unlock}, nil
}

// close ends the run that has the entry open. One that says nothing is dropped.
func (s *store) close(uid types.UID, e *entry) {
	defer e.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.State == (state.Service{}) {
		delete(s.known, uid)
		return
	}
	if s.known == nil {
		s.known = map[types.UID]state.Service{}
	}
	s.known[uid] = e.State
}
