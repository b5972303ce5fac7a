package balancer

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	servicehelper "k8s.io/cloud-provider/service/helpers"
)

// A Service of another controller has our load balancer, which only the cloud proves, and gives it up. A finalizer that the other
// controller puts afterwards is not ours.
func TestFinalizerAfterTheHandover(t *testing.T) {
	quietLogs(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, modelRules)
		svc := service("s")
		svc.Spec.LoadBalancerClass = new("example.com/other")
		svc.Finalizers = []string{library}
		w.mu.Lock()
		w.set(svc, "kubectl") // as one that was applied from a backup
		w.ever[svc.UID] = true
		w.balancers[string(svc.UID)] = &stored{id: string(svc.UID), uid: svc.UID, address: ourAddress}
		w.mu.Unlock()
		w.start(&process{})
		defer w.stop()
		w.pass(30*time.Second, time.Second)
		if len(w.of(svc)) > 0 || servicehelper.HasLBFinalizer(w.current("s")) {
			t.Fatalf("it is not handed over:\n%s", strings.Join(w.history["s"], "\n"))
		}
		for range 3 {
			w.change("s", other, func(s *corev1.Service) {
				if !servicehelper.HasLBFinalizer(s) {
					s.Finalizers = append(s.Finalizers, library)
				}
			})
			w.pass(20*time.Second, time.Second)
			if !servicehelper.HasLBFinalizer(w.current("s")) {
				t.Fatalf("the other controller's finalizer is taken away:\n%s", strings.Join(w.history["s"], "\n"))
			}
		}
	})
}
