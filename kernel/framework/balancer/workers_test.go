package balancer

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
)

// waitingBalancers are balancers that wait for the rate limit.
type waitingBalancers struct {
	fakeBalancers
	log
	free chan struct{}
}

func (w *waitingBalancers) Ensure(_ context.Context, svc *corev1.Service, _ []*corev1.Node) (loadbalancer.Outcome, error) {
	w.Add("begins " + svc.Name)
	<-w.free
	return loadbalancer.Outcome{Status: &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}}}, nil
}

// One worker of the controller is kept free while the others wait: what it is asked for is watched, and its result is there when the
// controller asks again.
func TestOneWorkerIsKeptFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &waitingBalancers{free: make(chan struct{})}
		services := &fakeServices{}
		a := adapter(m, services)
		a.workers.all = 3
		named := func(name string) *corev1.Service {
			svc := service(name, withFinalizer)
			svc.UID = types.UID(name)
			return svc
		}
		for _, name := range []string{"a", "b"} {
			go a.EnsureLoadBalancer(t.Context(), "", named(name), nil)
		}
		synctest.Wait()
		third := named("c")
		services.current = third
		if _, err := a.EnsureLoadBalancer(t.Context(), "", third, nil); err != cloudprovider.ImplementedElsewhere { //nolint:errorlint // the controller compares so, and says any other error in an event
			t.Errorf("error %v, want that the controller has nothing left to do", err)
		}
		serving := named("d")
		serving.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.2"}}
		go a.EnsureLoadBalancer(t.Context(), "", serving, nil)
		synctest.Wait()
		if begun := m.Take(); len(begun) != 4 {
			t.Errorf("begun: %v, want all four", begun)
		}
		close(m.free)
		time.Sleep(time.Second)
		synctest.Wait()
		if status, err := a.EnsureLoadBalancer(t.Context(), "", third, nil); err != nil || len(status.Ingress) != 1 || len(m.Take()) != 0 {
			t.Errorf("status %+v, %v: want the result of the watch", status, err)
		}
		if a.workers.busy.Load() != 0 {
			t.Error("workers are counted that are free")
		}
	})
}

// A Service that no worker was free for is looked at when the cache shows the finalizer, which the controller has just added: the controller
// is asked only for its result, and tells once that it begins.
func TestServiceThatNoWorkerWasFreeFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, services := &waitingBalancers{free: make(chan struct{})}, &fakeServices{}
		close(m.free)
		a := adapter(m, services)
		a.workers.all = 2
		a.workers.busy.Store(1)
		services.current = service("web")
		if _, err := a.EnsureLoadBalancer(t.Context(), "", service("web"), nil); err != cloudprovider.ImplementedElsewhere { //nolint:errorlint // the controller compares so
			t.Errorf("error %v", err)
		}
		synctest.Wait()
		if begun, queued := m.Take(), services.Take(); len(begun) > 0 || len(queued) > 0 {
			t.Errorf("begun %v, queued %v before the finalizer can be seen", begun, queued)
		}
		services.next.Store(service("web", withFinalizer))
		time.Sleep(soon)
		synctest.Wait()
		if begun, queued := m.Take(), services.Take(); len(begun) != 1 || len(queued) != 1 {
			t.Errorf("begun %v, queued %v; want a look, and the controller asked to take its result", begun, queued)
		}
		begins := &corev1.Event{Reason: "EnsuringLoadBalancer", InvolvedObject: corev1.ObjectReference{UID: service("web").UID}}
		if !a.Quiet(begins) {
			t.Error("it is said again that it begins")
		}
	})
}
