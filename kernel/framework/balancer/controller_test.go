package balancer

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	cloudprovider "k8s.io/cloud-provider"
	servicecontroller "k8s.io/cloud-provider/controllers/service"
	controllersmetrics "k8s.io/component-base/metrics/prometheus/controllers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
)

// working are balancers of a cloud that is busy at each first look.
type working struct {
	fakeBalancers
	looks atomic.Int64
	// slow is how long an ensure and a deletion take.
	slow atomic.Int64
}

func (w *working) work() error {
	time.Sleep(time.Duration(w.slow.Load()))
	if w.looks.Add(1)%2 == 1 {
		return &loadbalancer.Pending{After: 5 * time.Second, Reason: "the cloud is working on the balancer"}
	}
	return nil
}

func (w *working) Ensure(context.Context, *corev1.Service, []*corev1.Node) (loadbalancer.Outcome, error) {
	return loadbalancer.Outcome{Status: &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}}}, w.work()
}

func (w *working) Delete(context.Context, *corev1.Service) error { return w.work() }

// balanced is a cloud that has nothing but balancers.
type balanced struct {
	cloudprovider.Interface
	balancers *Adapter
}

func (b *balanced) ProviderName() string { return "fake" }

func (b *balanced) LoadBalancer() (cloudprovider.LoadBalancer, bool) { return b.balancers, true }

// running starts upstream's service controller against a fake API server, in a synctest bubble.
func running(t *testing.T, m Manager) (*fake.Clientset, *Adapter) {
	t.Helper()
	server := fake.NewClientset()
	factory := informers.NewSharedInformerFactory(server, 0)
	services, nodes := view.NewServices(factory.Core().V1().Services(), handover.Signs{}), view.NewNodes(factory.Core().V1().Nodes(), func(*corev1.Node) bool { return true })
	a := New(Options{Manager: m, Services: services, Nodes: nodes.All, Drain: drain.New(), Events: &fakeRecorder{}, Workers: 1})
	a.Connect(server.CoreV1())
	services.Follow(a)
	c, err := servicecontroller.New(&balanced{balancers: a}, server, services, nodes, "c", utilfeature.DefaultFeatureGate)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { c.Run(ctx, 1, controllersmetrics.NewControllerManagerMetrics("test")); close(done) }()
	factory.Start(ctx.Done())
	t.Cleanup(func() { cancel(); <-done; factory.Shutdown() })
	return server, a
}

// Nothing is kept about Services that are gone, whenever they go.
func TestVanishedServicesAreForgotten(t *testing.T) {
	for name, at := range map[string]time.Duration{
		"during a look": 8 * time.Second,
		"before a look": 3 * time.Second,
		"later":         time.Minute,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &working{}
				server, l := running(t, b)
				if _, err := server.CoreV1().Services("shop").Create(t.Context(), service("web"), metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				b.slow.Store(int64(10 * time.Second)) // of the look after 5 s
				time.Sleep(at)
				if err := server.CoreV1().Services("shop").Delete(context.Background(), "web", metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				pending := 0
				l.pending.services.Range(func(any, any) bool { pending++; return true })
				if len(l.watch.results) > 0 || pending > 0 || len(l.deletions.begun) > 0 || len(l.watch.alarms.set) > 0 {
					t.Errorf("kept: results %v, pending %d, deletions %v, alarms %v", l.watch.results, pending, l.deletions.begun, l.watch.alarms.set)
				}
			})
		})
	}
}
