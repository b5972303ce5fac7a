package loadbalancer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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

	finder  finder
	writer  writer
	removal removal
	second  second
}

// The parts of a run besides deciding and reporting.
type (
	// finder looks for the balancers of the Service. It only reads.
	finder struct{ *reconciliation }
	// writer makes changes, and remembers what they come to.
	writer struct{ *reconciliation }
	// removal gives up the balancer of a Service that goes.
	removal struct{ *reconciliation }
	// second looks after a second balancer of the Service: the one that takes the place of the present one, the one whose place was
	// taken, or a duplicate.
	second struct{ *reconciliation }
)

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
		Case: decide.Case{
			Subject: decide.Subject{Asked: &asked, Cloud: m.cloud, Memory: &memory.State}, Live: m.executor.Mode() == run.Live,
		},
		manager: m, entry: memory, began: time.Now(), nodes: nodes,
	}
	r.finder, r.writer, r.removal, r.second = finder{r}, writer{r}, removal{r}, second{r}
	return r, r.priority(ctx, false), nil
}

// priority returns a context whose calls to the cloud have the priority of the run, and are made for the Service's namespace:
//
//	the Service                                              priority
//	gives its balancer up                                    deletion
//	has a change that goes on, a balancer that is pending,   what has begun
//	 a replacement, or one that was made and has no address
//	has no balancer so far                                   creation
//	is to be compared with the cloud                         comparison, and its writes are changes
//	any other                                                change
func (r *reconciliation) priority(ctx context.Context, compares bool) context.Context {
	ctx = cloud.WithTenant(ctx, r.Asked.Service.Namespace)
	switch {
	case r.Asked.Leaving:
		return cloud.WithPriority(ctx, cloud.PriorityDeletion)
	case r.begun():
		return cloud.WithPriority(ctx, cloud.PriorityBegun)
	case !r.finder.expected():
		return cloud.WithPriority(ctx, cloud.PriorityCreation)
	case compares:
		return cloud.WithPriority(ctx, cloud.PriorityRefresh)
	}
	return cloud.WithPriority(ctx, cloud.PriorityChange)
}

// begun reports whether something that was begun for the Service has not ended, as far as the process or the Service remembers.
func (r *reconciliation) begun() bool {
	switch r.Memory.Phase.(type) {
	case state.Running, state.Interrupted:
		return true
	case state.Pending, state.Removed, state.Failed, nil:
	}
	made := r.Memory.Created != "" || r.Asked.Creation != nil
	return !r.Memory.PendingSince().IsZero() || r.Asked.Replacing != nil || made && len(r.Asked.Service.Status.LoadBalancer.Ingress) == 0
}

// compare makes the run a comparison with the cloud where one is due, and returns the context for its calls.
func (r *reconciliation) compare(ctx context.Context) context.Context {
	if _, r.compares = r.manager.due.LoadAndDelete(r.Asked.Service.UID); !r.compares {
		return ctx
	}
	if !r.Cloud.Descriptor.Capabilities.VersionStamps {
		r.Memory.Last = nil // a driver may look in lists then, which show second balancers
	}
	return r.priority(ctx, true)
}

func (r *reconciliation) end() {
	r.Memory.Before = nil
	r.manager.states.close(r.Asked.Service.UID, r.entry)
}

// forget drops what is remembered of the Service.
func (r *reconciliation) forget() { *r.Memory = state.Service{} }

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
