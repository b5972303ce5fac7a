package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/watch"
)

// clusterWatch follows Nodes and Services, so that waiting costs the API server two
// watches instead of a list per look.
type clusterWatch struct {
	stop   func()
	signal watch.Signal

	mu          sync.Mutex
	nodes       map[string]bool // name → initialised
	initialised int
	last        time.Time            // when the last node became so
	services    map[string]time.Time // name → when it got an address; zero without one
}

func startWatch(ctx context.Context, config *rest.Config) (*clusterWatch, error) {
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making the client of the watch: %w", err)
	}
	w := &clusterWatch{nodes: map[string]bool{}, services: map[string]time.Time{}}
	factory := informers.NewSharedInformerFactory(client, 0)
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandlerFuncs{
		factory.Core().V1().Nodes().Informer():    handle(w.setNode, w.dropNode),
		factory.Core().V1().Services().Informer(): handle(w.setService, w.dropService),
	} {
		if _, err := informer.AddEventHandler(handler); err != nil {
			return nil, fmt.Errorf("watching the cluster: %w", err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	factory.Start(ctx.Done())
	w.stop = func() { cancel(); factory.Shutdown() }
	return w, nil
}

func handle[T any](set, drop func(T)) cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { set(obj.(T)) },
		UpdateFunc: func(_, obj any) { set(obj.(T)) },
		DeleteFunc: func(obj any) {
			if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = tombstone.Obj
			}
			drop(obj.(T))
		},
	}
}

func (w *clusterWatch) change(f func()) {
	w.mu.Lock()
	f()
	w.mu.Unlock()
	w.signal.Announce()
}

func (w *clusterWatch) setNode(node *corev1.Node) {
	w.change(func() {
		was, is := w.nodes[node.Name], initialised(node)
		w.nodes[node.Name] = is
		if is && !was {
			w.initialised++
			w.last = time.Now()
		}
	})
}

func (w *clusterWatch) dropNode(node *corev1.Node) {
	w.change(func() {
		if w.nodes[node.Name] {
			w.initialised--
		}
		delete(w.nodes, node.Name)
	})
}

func (w *clusterWatch) setService(svc *corev1.Service) {
	w.change(func() {
		at, known := w.services[svc.Name]
		if len(svc.Status.LoadBalancer.Ingress) > 0 && at.IsZero() {
			at, known = time.Now(), false
		}
		if !known {
			w.services[svc.Name] = at
		}
	})
}

func (w *clusterWatch) dropService(svc *corev1.Service) {
	w.change(func() { delete(w.services, svc.Name) })
}

// initialised reports whether a node has everything that it gets only once.
func initialised(node *corev1.Node) bool {
	for _, taint := range node.Spec.Taints {
		if taint.Key == controlplane.UninitializedTaint {
			return false
		}
	}
	for _, address := range node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			return node.Spec.ProviderID != ""
		}
	}
	return false
}

// untilInitialised waits for n nodes and returns when the last one was.
func (w *clusterWatch) untilInitialised(ctx context.Context, n int) (time.Time, error) {
	var last time.Time
	var have int
	err := w.signal.Until(ctx, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		have, last = w.initialised, w.last
		return have >= n
	})
	if err != nil {
		return last, fmt.Errorf("%d of %d nodes are initialised: %w", have, n, err)
	}
	return last, nil
}

// addressed returns when each Service that has an address got it.
func (w *clusterWatch) addressed() map[string]time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	got := map[string]time.Time{}
	for name, at := range w.services {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix && !at.IsZero() {
			got[name] = at
		}
	}
	return got
}

// served reports whether a Service has an address.
func (w *clusterWatch) served(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.services[name].IsZero()
}

// has reports whether a Service exists.
func (w *clusterWatch) has(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.services[name]
	return ok
}

func (w *clusterWatch) initialisedNodes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.initialised
}

func (w *clusterWatch) nodeCount() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.nodes)
}
