package view

import (
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	informersv1 "k8s.io/client-go/informers/core/v1"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
)

// Follower is told of the Services that the controller must not see yet, or no more.
type Follower interface {
	// Hold is asked of each Service that may give its balancer up, and reports whether the controller has to wait.
	Hold(svc *corev1.Service) bool
	// Prove is told of each Service that has the finalizer, is not served by us, and does not prove by itself whose the finalizer is.
	Prove(svc *corev1.Service)
	// Released is told of each Service that has no finalizer: what was proved of an earlier one says nothing about the next.
	Released(uid types.UID)
	// Withdraw is told of each Service of another controller whose status has an address of ours.
	Withdraw(svc *corev1.Service)
	// Holds reports whether the cloud has a balancer of ours for such a Service, as far as it has answered.
	Holds(uid types.UID) bool
	// Forget is told of each Service that is gone.
	Forget(uid types.UID)
}

// Services shows the service controller the Services that are ours. Upstream ignores those of other controllers only until
// they are deleted or get another type, and then removes the finalizer, which other controllers share, before they have
// cleaned up. One that was ours it ignores too, and leaves our balancer and our finalizer behind.
//
//	the Service                  its finalizer  the controller sees
//	is to be served by us        -              it
//	is another controller's      none           nothing
//	is another controller's      is ours        a copy of another type, which gives the balancer up
//	is of another type           none           it, and does nothing about it
//	is being deleted             none           nothing: others hold it, and upstream would make it a balancer
//	is of another type           is ours        it, which gives the balancer up
//	neither of ours              is not proven  nothing, until the cloud says that it has a balancer of ours
//
// The finalizer is ours when the Service had it while it was to be served by us, or proves it, see [handover.Signs.Proven].
//
// It can also make the controller look at a Service when nothing happened (Enqueue), and
// hides changes we made ourselves (Recorded).
type Services struct {
	informersv1.ServiceInformer
	handlers handlers
	follower Follower
	signs    handover.Signs

	mu sync.Mutex
	// ours are Services that had the finalizer while they were to be served by us.
	ours map[types.UID]bool
	// recorded are the annotations we wrote.
	recorded map[types.UID]map[string]string
}

var _ informersv1.ServiceInformer = (*Services)(nil)

// NewServices returns the view of these Services, for a cloud with these signs.
func NewServices(next informersv1.ServiceInformer, signs handover.Signs) *Services {
	return &Services{
		ServiceInformer: next,
		signs:           signs,
		ours:            map[types.UID]bool{},
		recorded:        map[types.UID]map[string]string{},
	}
}

// Informer implements [informersv1.ServiceInformer].
func (v *Services) Informer() cache.SharedIndexInformer {
	return &informer{v.ServiceInformer.Informer(), func(h cache.ResourceEventHandler) cache.ResourceEventHandler {
		v.handlers.add(h)
		return &serviceEvents{v, h}
	}}
}

// Lister implements [informersv1.ServiceInformer].
func (v *Services) Lister() listersv1.ServiceLister {
	return &serviceLister{v.ServiceInformer.Lister(), v}
}

// Current returns the Service as it is now, nil when it is gone, hidden or another one of
// the same name.
func (v *Services) Current(svc *corev1.Service) *corev1.Service {
	current, err := v.Lister().Services(svc.Namespace).Get(svc.Name)
	if err != nil || current.UID != svc.UID {
		return nil
	}
	return current
}

// HandedOver returns the Service as it is now where it is another controller's, and nil where it is not.
func (v *Services) HandedOver(svc *corev1.Service) *corev1.Service {
	current, err := v.ServiceInformer.Lister().Services(svc.Namespace).Get(svc.Name)
	if err != nil || current.UID != svc.UID || !v.signs.Foreign(current) {
		return nil
	}
	return current
}

// All returns all Services of the cluster, also those that the controller does not see.
func (v *Services) All() []*corev1.Service {
	// A lister over a cache has no errors.
	all, _ := v.ServiceInformer.Lister().List(labels.Everything())
	return all
}

// Balancers returns the Services that want a load balancer of ours.
func (v *Services) Balancers() []*corev1.Service {
	// A lister over a cache has no errors.
	all, _ := v.Lister().List(labels.Everything())
	var wanting []*corev1.Service
	for _, svc := range all {
		if svc.Spec.Type == corev1.ServiceTypeLoadBalancer {
			wanting = append(wanting, svc)
		}
	}
	return wanting
}

// Enqueue makes the controller look at the Service now. An addition is queued even if
// nothing differs, past the waiting time of earlier failures.
func (v *Services) Enqueue(svc *corev1.Service) {
	if v.held(svc) {
		return
	}
	v.handlers.each(func(h cache.ResourceEventHandler) { h.OnAdd(svc, false) })
}

// enqueueAll makes the controller look at all Services that want a balancer.
func (v *Services) enqueueAll() {
	for _, svc := range v.Balancers() {
		v.Enqueue(svc)
	}
}

// enqueueAnnotated is enqueueAll for the Services that have one of these annotations.
func (v *Services) enqueueAnnotated(keys []string) {
	for _, svc := range v.Balancers() {
		if slices.ContainsFunc(keys, func(key string) bool { return svc.Annotations[key] != "" }) {
			v.Enqueue(svc)
		}
	}
}

// Recorded says that we are about to write these annotations on the Service. The update
// that brings them back would be one more ensure that changes nothing.
func (v *Services) Recorded(svc *corev1.Service, annotations map[string]string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.recorded[svc.UID] == nil {
		v.recorded[svc.UID] = map[string]string{}
	}
	maps.Copy(v.recorded[svc.UID], annotations)
}

// withRecorded returns before with those annotations of after that we wrote ourselves.
func (v *Services) withRecorded(before, after *corev1.Service) *corev1.Service {
	v.mu.Lock()
	defer v.mu.Unlock()
	if before.UID != after.UID {
		return before
	}
	merged := *before
	merged.Annotations = maps.Clone(before.Annotations)
	for key, value := range v.recorded[after.UID] {
		got, ok := after.Annotations[key]
		switch {
		case value == "" && !ok:
			delete(merged.Annotations, key) // we removed it
		case ok && got == value && merged.Annotations == nil:
			merged.Annotations = map[string]string{key: value}
		case ok && got == value:
			merged.Annotations[key] = value
		}
	}
	return &merged
}

// Follow has the follower told of Services. It is called before the controller is started.
func (v *Services) Follow(f Follower) { v.follower = f }

// held reports whether the controller must not see yet that the Service gives its balancer up.
func (v *Services) held(svc *corev1.Service) bool {
	return v.follower != nil && servicehelper.HasLBFinalizer(svc) && v.follower.Hold(svc)
}

func (v *Services) forget(svc *corev1.Service) {
	if v.follower != nil {
		v.follower.Forget(svc.UID)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.ours, svc.UID)
	delete(v.recorded, svc.UID)
}

type serviceLister struct {
	listersv1.ServiceLister
	view *Services
}

func (l *serviceLister) List(selector labels.Selector) ([]*corev1.Service, error) {
	all, err := l.ServiceLister.List(selector)
	return l.view.only(all), err
}

func (l *serviceLister) Services(namespace string) listersv1.ServiceNamespaceLister {
	return &serviceNamespaceLister{l.ServiceLister.Services(namespace), l.view}
}

type serviceNamespaceLister struct {
	listersv1.ServiceNamespaceLister
	view *Services
}

func (l *serviceNamespaceLister) List(selector labels.Selector) ([]*corev1.Service, error) {
	all, err := l.ServiceNamespaceLister.List(selector)
	return l.view.only(all), err
}

func (l *serviceNamespaceLister) Get(name string) (*corev1.Service, error) {
	svc, err := l.ServiceNamespaceLister.Get(name)
	if err != nil {
		return nil, err
	}
	if svc = l.view.shown(svc); svc == nil {
		return nil, apierrors.NewNotFound(corev1.Resource("services"), name)
	}
	return svc, nil
}

func (v *Services) only(all []*corev1.Service) []*corev1.Service {
	var visible []*corev1.Service
	for _, svc := range all {
		if shown := v.shown(svc); shown != nil {
			visible = append(visible, shown)
		}
	}
	return visible
}
