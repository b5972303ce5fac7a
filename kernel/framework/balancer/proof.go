package balancer

import (
	"context"
	"errors"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
)

// proofs ask the cloud about Services that have the finalizer, are not served by us, and do not prove by themselves
// whose the finalizer is.
//
//	the cloud                       then
//	has a balancer of ours          the controller sees the Service, which gives the balancer up
//	has none                        the finalizer is another controller's
//	does not answer with certainty  another question after 5 s, doubling to 5 min
type proofs struct {
	ask      func(ctx context.Context, svc *corev1.Service) (bool, error)
	services Services
	// found is told of each Service of which the cloud has a balancer.
	found  func(uid types.UID)
	alarms alarms
	// slots bounds how many questions are asked at once.
	slots chan struct{}

	mu    sync.Mutex
	asked map[types.UID]*proof
}

type proof struct {
	holds    bool
	failures int
}

// begin asks about the Service, once.
func (p *proofs) begin(svc *corev1.Service) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked[svc.UID] != nil {
		return
	}
	state := &proof{}
	p.asked[svc.UID] = state
	p.alarms.in(0, svc.UID, func() { p.look(svc, state) })
}

// holds reports whether the cloud has answered that it has a balancer of ours for the Service.
func (p *proofs) holds(uid types.UID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := p.asked[uid]
	return state != nil && state.holds
}

// forget drops what is known of a Service that is gone, has no finalizer or wants a balancer.
func (p *proofs) forget(uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.asked, uid)
	p.alarms.stop(uid)
}

func (p *proofs) look(svc *corev1.Service, state *proof) {
	p.slots <- struct{}{}
	defer func() { <-p.slots }()
	holds, err := p.ask(context.Background(), svc)
	if !p.answered(svc, state, holds, err) {
		return
	}
	p.found(svc.UID)
	if current := p.services.Current(svc); current != nil {
		p.services.Enqueue(current)
	}
}

// answered keeps the answer, and reports whether the cloud has a balancer. It asks again after an error, unless the Service is
// forgotten by now.
func (p *proofs) answered(svc *corev1.Service, state *proof, holds bool, err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.asked[svc.UID] != state, errors.Is(err, drain.ErrStopping):
		return false
	case err != nil:
		wait := retryAfter(state.failures)
		klog.ErrorS(err, "It is not known whether a Service of another controller has a load balancer of ours", "service", klog.KObj(svc), "retryAfter", wait)
		state.failures++
		p.alarms.in(wait, svc.UID, func() { p.look(svc, state) })
		return false
	}
	state.holds = holds
	if !holds {
		klog.InfoS("The finalizer of a Service of another controller is left, because nothing proves that it is ours", "service", klog.KObj(svc))
	}
	return holds
}
