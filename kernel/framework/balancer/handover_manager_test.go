package balancer

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
)

// modelManager stands for the manager of load balancers: it makes and deletes one with a single call. As the real one, it does
// one thing for a Service at a time.
type modelManager struct {
	*process
	busy map[types.UID]chan struct{}
}

func newModelManager(p *process) *modelManager {
	return &modelManager{p, map[types.UID]chan struct{}{}}
}

func (m *modelManager) run(svc *corev1.Service, work func() error) error {
	m.mu.Lock()
	turn := m.busy[svc.UID]
	if turn == nil {
		turn = make(chan struct{}, 1)
		m.busy[svc.UID] = turn
	}
	takes := time.Duration(m.random.IntN(3)) * time.Second
	m.mu.Unlock()
	turn <- struct{}{}
	defer func() { <-turn }()
	time.Sleep(takes)
	return m.call(func() error {
		switch n := m.random.IntN(100); {
		case n < m.failing/2:
			return fmt.Errorf("the cloud is away")
		case n < m.failing:
			return &loadbalancer.Pending{After: time.Second, Reason: "the cloud is at it"}
		}
		return work()
	})
}

func (m *modelManager) Ensure(_ context.Context, svc *corev1.Service, _ []*corev1.Node) (o loadbalancer.Outcome, err error) {
	err = m.run(svc, func() error {
		if m.gone(svc) {
			return &loadbalancer.Pending{After: time.Second, Reason: "the Service gives its load balancer up"}
		}
		b := &stored{id: string(svc.UID), uid: svc.UID, address: ourAddress}
		m.balancers[b.id] = b
		m.note(svc.Name, "cloud: made")
		o.Record = map[string]string{recordKey: "1"}
		o.Status = &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: b.address}}}
		return nil
	})
	return o, err
}

// gone reports whether the Service gives its balancer up by now, as far as the process sees. The real manager asks so too before it
// writes.
func (m *modelManager) gone(svc *corev1.Service) bool {
	current := m.adapter.Services.Current(svc)
	return current == nil || request.IsDeleting(current)
}

func (m *modelManager) UpdateTargets(context.Context, *corev1.Service, []*corev1.Node) error {
	return nil
}

func (m *modelManager) Delete(_ context.Context, svc *corev1.Service) error {
	return m.run(svc, func() error {
		delete(m.balancers, string(svc.UID))
		m.note(svc.Name, "cloud: deleted")
		return nil
	})
}

func (m *modelManager) Get(context.Context, *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	return nil, true, nil
}

func (m *modelManager) Holds(_ context.Context, svc *corev1.Service) (holds bool, err error) {
	err = m.run(svc, func() error {
		holds = m.balancers[string(svc.UID)] != nil
		return nil
	})
	return holds, err
}

func (m *modelManager) Name(svc *corev1.Service) string { return svc.Name }
