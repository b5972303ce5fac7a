package framework

import (
	"context"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/route"
)

func node(name, providerID string, change ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name), ResourceVersion: "7"},
		Spec:       corev1.NodeSpec{ProviderID: providerID},
	}
	for _, c := range change {
		c(n)
	}
	return n
}

func withTaint(key string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key}) }
}

func withReady(status corev1.ConditionStatus) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
	}
}

func withIP(ip string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Status.Addresses = append(n.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: ip})
	}
}

func withLabel(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels = map[string]string{key: value} }
}

func service(name string, change ...func(*corev1.Service)) *corev1.Service {
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("uid-" + name), ResourceVersion: "7"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer},
	}
	for _, c := range change {
		c(s)
	}
	return s
}

func withAnnotation(key, value string) func(*corev1.Service) {
	return func(s *corev1.Service) {
		if s.Annotations == nil {
			s.Annotations = map[string]string{}
		}
		s.Annotations[key] = value
	}
}

// log is a handler that writes down what it is told.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *log) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}

// cluster is an informer factory over a fake API server whose caches are filled by hand.
func cluster(t *testing.T) informers.SharedInformerFactory {
	t.Helper()
	return informers.NewSharedInformerFactory(fake.NewClientset(), 0)
}

func put(t *testing.T, informer cache.SharedIndexInformer, objects ...any) {
	t.Helper()
	for _, obj := range objects {
		if err := informer.GetIndexer().Add(obj); err != nil {
			t.Fatal(err)
		}
	}
}

// fakeInventory answers with what it is given.
type fakeInventory struct {
	machine  cloud.Instance
	exists   bool
	shutdown bool
	err      error
	panics   bool
	priority cloud.Priority
}

func (f *fakeInventory) note(ctx context.Context) {
	f.priority = cloud.PriorityOf(ctx)
	if f.panics {
		panic("a bug")
	}
}

func (f *fakeInventory) Metadata(ctx context.Context, _ *corev1.Node) (cloud.Instance, error) {
	f.note(ctx)
	return f.machine, f.err
}

func (f *fakeInventory) Exists(ctx context.Context, _ *corev1.Node) (bool, error) {
	f.note(ctx)
	return f.exists, f.err
}

func (f *fakeInventory) Shutdown(ctx context.Context, _ *corev1.Node) (bool, error) {
	f.note(ctx)
	return f.shutdown, f.err
}

// fakeRouting answers with what it is given.
type fakeRouting struct {
	list []route.Route
	err  error
}

func (f *fakeRouting) List(context.Context) ([]route.Route, error) { return f.list, f.err }

func (f *fakeRouting) Create(context.Context, string, netip.Prefix) error { return f.err }

func (f *fakeRouting) Delete(context.Context, route.Route) error { return f.err }

// window is how long events of Nodes are collected.
const window = 5 * time.Second

// TestMain takes out a rate limit on logged errors that compares the bubbles' clock with
// the real one.
func TestMain(m *testing.M) {
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	os.Exit(m.Run())
}
