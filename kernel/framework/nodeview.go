package framework

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	informersv1 "k8s.io/client-go/informers/core/v1"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// nodeView shows one cloud's Nodes. A Node that changes hands is deleted in one view and
// added in another, so mine must be a function of the Node alone.
type nodeView struct {
	informersv1.NodeInformer
	mine func(*corev1.Node) bool
	// wrap decorates the handlers of one controller further; nil leaves them.
	wrap func(cache.ResourceEventHandler) cache.ResourceEventHandler
	// versions, unless nil, are those that the lister returns.
	versions *nodeVersions
}

var _ informersv1.NodeInformer = (*nodeView)(nil)

// with returns the view for a controller whose handlers need more than the filter.
func (v *nodeView) with(wrap func(cache.ResourceEventHandler) cache.ResourceEventHandler) *nodeView {
	return &nodeView{NodeInformer: v.NodeInformer, mine: v.mine, wrap: wrap}
}

func (v *nodeView) Informer() cache.SharedIndexInformer {
	return &view{v.NodeInformer.Informer(), v.filter}
}

func (v *nodeView) filter(h cache.ResourceEventHandler) cache.ResourceEventHandler {
	if v.wrap != nil {
		h = v.wrap(h)
	}
	return cache.FilteringResourceEventHandler{
		FilterFunc: func(obj any) bool {
			node := unwrap[*corev1.Node](obj)
			return node != nil && v.mine(node)
		},
		Handler: h,
	}
}

func (v *nodeView) Lister() listersv1.NodeLister {
	return &nodeLister{v.NodeInformer.Lister(), v.mine, v.versions}
}

// nodes returns all Nodes of the view.
func (v *nodeView) nodes() []*corev1.Node {
	// A lister over a cache has no errors.
	nodes, _ := v.Lister().List(labels.Everything())
	return nodes
}

type nodeLister struct {
	listersv1.NodeLister
	mine     func(*corev1.Node) bool
	versions *nodeVersions
}

func (l *nodeLister) List(selector labels.Selector) ([]*corev1.Node, error) {
	all, err := l.NodeLister.List(selector)
	if err != nil {
		return nil, err
	}
	mine := make([]*corev1.Node, 0, len(all))
	for _, node := range all {
		if l.mine(node) {
			mine = append(mine, node)
		}
	}
	if l.versions != nil {
		l.versions.settle(mine)
	}
	return mine, nil
}

func (l *nodeLister) Get(name string) (*corev1.Node, error) {
	node, err := l.NodeLister.Get(name)
	if err == nil && !l.mine(node) {
		return nil, apierrors.NewNotFound(corev1.Resource("nodes"), name)
	}
	return node, err
}
