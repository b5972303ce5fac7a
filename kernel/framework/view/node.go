// Package view shows the controllers of k8s.io/cloud-provider the Nodes and Services that are theirs: filtered,
// with bursts joined, and with what is never repeated repeated.
package view

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	informersv1 "k8s.io/client-go/informers/core/v1"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// Nodes shows some of the cluster's Nodes. A Node that changes hands is deleted in one view and
// added in another, so what is shown must be a function of the Node alone, but for a view that is only listed.
type Nodes struct {
	informersv1.NodeInformer
	// lister is that of the informer. Asking for it makes a Node each time, and the node controller asks for each Node.
	lister   func() listersv1.NodeLister
	shown    func(*corev1.Node) bool
	handlers handlers
	// wrap decorates the handlers of one controller further; nil leaves them.
	wrap func(cache.ResourceEventHandler) cache.ResourceEventHandler
	// list, unless nil, is what the lister returns.
	list *nodeList
}

var _ informersv1.NodeInformer = (*Nodes)(nil)

// NewNodes returns the view of these Nodes.
func NewNodes(next informersv1.NodeInformer, shown func(*corev1.Node) bool) *Nodes {
	return &Nodes{NodeInformer: next, lister: sync.OnceValue(func() listersv1.NodeLister { return next.Lister() }), shown: shown}
}

// Of returns the view of others of the cluster's Nodes.
func (v *Nodes) Of(shown func(*corev1.Node) bool) *Nodes { return NewNodes(v.NodeInformer, shown) }

// ForBalancers returns the view as the service controller has it: it is told after the window that Nodes came or
// went, and the Services that other changes concern are queued. What is listed must not be changed.
func (v *Nodes) ForBalancers(window time.Duration, services *Services, selectors []string) *Nodes {
	targets := v.Of(v.shown)
	targets.list = &nodeList{}
	targets.wrap = func(h cache.ResourceEventHandler) cache.ResourceEventHandler {
		return targets.list.before(newTargetEvents(window, h, services.enqueueAll, func() { services.enqueueAnnotated(selectors) }))
	}
	return targets
}

// Informer implements [informersv1.NodeInformer].
func (v *Nodes) Informer() cache.SharedIndexInformer {
	return &informer{v.NodeInformer.Informer(), v.filter}
}

func (v *Nodes) filter(h cache.ResourceEventHandler) cache.ResourceEventHandler {
	v.handlers.add(h)
	if v.wrap != nil {
		h = v.wrap(h)
	}
	h = cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			node := Object[*corev1.Node](obj)
			return node != nil && v.shown(node)
		},
		Handler: h,
	}
	if v.list != nil {
		h = v.list.counting(h)
	}
	return h
}

// Version is another one when any Node of the cluster has changed in what load balancers may depend on. It is 0 for a view that is not for
// them, and as long as no controller is told of changes.
func (v *Nodes) Version() int64 {
	if v.list == nil {
		return 0
	}
	return v.list.version.Load()
}

// Repeat makes the route controller reconcile: upstream takes an update without a
// difference for the periodic resync.
func (v *Nodes) Repeat() {
	v.handlers.each(func(h cache.ResourceEventHandler) { h.OnUpdate(anyNode, anyNode) })
}

// Offer shows the controllers some of the view's Nodes once more, although nothing of these has changed.
func (v *Nodes) Offer(which func(*corev1.Node) bool) {
	for _, node := range v.All() {
		if which(node) {
			v.handlers.each(func(h cache.ResourceEventHandler) { h.OnUpdate(node, node) })
		}
	}
}

// Lister implements [informersv1.NodeInformer].
func (v *Nodes) Lister() listersv1.NodeLister {
	return &nodeLister{v.lister(), v.shown, v.list}
}

// All returns all Nodes of the view.
func (v *Nodes) All() []*corev1.Node {
	// A lister over a cache has no errors.
	nodes, _ := v.Lister().List(labels.Everything())
	return nodes
}

type nodeLister struct {
	listersv1.NodeLister
	shown func(*corev1.Node) bool
	list  *nodeList
}

func (l *nodeLister) List(selector labels.Selector) ([]*corev1.Node, error) {
	if l.list != nil && selector.Empty() {
		return l.list.get(func() ([]*corev1.Node, error) { return l.read(selector) })
	}
	return l.read(selector)
}

func (l *nodeLister) read(selector labels.Selector) ([]*corev1.Node, error) {
	all, err := l.NodeLister.List(selector)
	if err != nil {
		return nil, err
	}
	shown := make([]*corev1.Node, 0, len(all))
	for _, node := range all {
		if l.shown(node) {
			shown = append(shown, node)
		}
	}
	return shown, nil
}

func (l *nodeLister) Get(name string) (*corev1.Node, error) {
	node, err := l.NodeLister.Get(name)
	if err == nil && !l.shown(node) {
		return nil, apierrors.NewNotFound(corev1.Resource("nodes"), name)
	}
	return node, err
}
