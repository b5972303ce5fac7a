package balancer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	informersv1 "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
)

// What the model calls things.
const (
	recordKey      = "example.com/id"
	otherKey       = "example.com/kind"
	library        = servicehelper.LoadBalancerCleanupFinalizer
	otherFinalizer = "example.com/cleanup"
	us, other      = "cloud-controller-manager", "other-controller"
	ourAddress     = "192.0.2.1"
	otherAddress   = "198.51.100.7"
)

// model is an API server with Services, and a cloud with load balancers. Both outlive the processes that use them.
type model struct {
	rules

	mu       sync.Mutex
	services map[string]*corev1.Service
	// ever are the Services that were to be served by us at some time.
	ever map[types.UID]bool
	// balancers are the load balancers by their ids, and rests what is left of those that are gone.
	balancers map[string]*stored
	rests     map[types.UID]bool
	serial    int
	problems  []string
	history   map[string][]string
	// both are Services to which we added the finalizer while the other controller had put it: it is one text, of which each thinks that it is its own.
	both map[string]bool
}

// process is one run of the program. A dead one does nothing any more.
type process struct {
	*model
	kubernetes.Interface
	indexer  cache.Indexer
	handlers []cache.ResourceEventHandler
	random   *rand.Rand
	// failing is how many of a hundred calls fail.
	failing int
	// dies is after how many calls it does, 0 for never.
	dies int
	// blind says that the credentials are those of another account: reads show nothing, and nothing can be made.
	blind bool
	calls int
	dead  bool
	// adapter is what writes for the manager.
	adapter *Adapter
}

// call is one call to the API server or the cloud. Half of those at which the process dies are carried out.
func (p *process) call(apply func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	dies := p.calls == p.dies
	if p.dead || dies && p.random.IntN(2) == 0 {
		p.dead = true
		return drain.ErrStopping
	}
	p.dead = dies
	return apply()
}

// set makes the Service what it is from now on, as the API server would. manager is who does it.
func (m *model) set(svc *corev1.Service, manager string) {
	before := m.services[svc.Name]
	if svc.Spec.Type != corev1.ServiceTypeLoadBalancer {
		svc.Spec.LoadBalancerClass, svc.Status.LoadBalancer = nil, corev1.LoadBalancerStatus{}
	}
	if before == nil {
		before = &corev1.Service{}
	}
	// The API server notes who gave a field its value.
	note := func(field, fields string, changed, has bool) {
		if !changed {
			return
		}
		svc.ManagedFields = slices.DeleteFunc(slices.Clone(svc.ManagedFields), func(e metav1.ManagedFieldsEntry) bool {
			return strings.Contains(e.FieldsV1.GetRawString(), field)
		})
		if has {
			svc.ManagedFields = append(svc.ManagedFields, metav1.ManagedFieldsEntry{Manager: manager, FieldsV1: metav1.NewFieldsV1(fields)})
		}
	}
	had, has := servicehelper.HasLBFinalizer(before), servicehelper.HasLBFinalizer(svc)
	note("f:finalizers", `{"f:metadata":{"f:finalizers":{"v:\"`+library+`\"":{}}}}`, had != has, has)
	note("f:ingress", `{"f:status":{"f:loadBalancer":{"f:ingress":{}}}}`,
		!servicehelper.LoadBalancerStatusEqual(&before.Status.LoadBalancer, &svc.Status.LoadBalancer), len(svc.Status.LoadBalancer.Ingress) > 0)
	m.serial++
	svc.ResourceVersion = fmt.Sprint(m.serial)
	if m.services[svc.Name] = svc; svc.DeletionTimestamp != nil && len(svc.Finalizers) == 0 {
		delete(m.services, svc.Name)
	}
	if m.signs.Wanted(svc) {
		m.ever[svc.UID] = true
	}
	m.note(svc.Name, manager+": "+describe(svc))
}

// note adds to the history of a Service.
func (m *model) note(name, what string) {
	m.history[name] = append(m.history[name], time.Now().Format("15:04:05 ")+what)
}

// Record implements [event.Recorder]: what the manager says is in the history.
func (m *model) Record(object event.Object, reason event.Reason, message string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.note(object.Name, reason.Name+": "+message)
}

// of are the load balancers of a Service.
func (m *model) of(svc *corev1.Service) (all []*stored) {
	for _, s := range m.balancers {
		if s.uid == svc.UID {
			all = append(all, s)
		}
	}
	return all
}

func describe(svc *corev1.Service) string {
	class, kind, address := "", svc.Annotations[otherKey], ""
	if svc.Spec.LoadBalancerClass != nil {
		class = "class"
	}
	for _, i := range svc.Status.LoadBalancer.Ingress {
		address += i.IP
	}
	return fmt.Sprintf("%s %s %s deleted=%t finalizers=%v address=%s record=%s %s", svc.Spec.Type, class, kind, svc.DeletionTimestamp != nil, svc.Finalizers, address,
		svc.Annotations[recordKey], svc.Annotations[annotation.Creation.Name])
}

func (m *model) problem(format string, args ...any) {
	m.problems = append(m.problems, fmt.Sprintf(format, args...))
}

// deliver tells the process of changes. Several of one Service are told as one.
func (p *process) deliver() (told int) {
	type change struct{ before, after *corev1.Service }
	p.mu.Lock()
	var changes []change
	for _, obj := range p.indexer.List() {
		old := obj.(*corev1.Service)
		if now := p.services[old.Name]; now == nil || now.UID != old.UID {
			changes = append(changes, change{old, nil})
			_ = p.indexer.Delete(old)
		} else if now.ResourceVersion != old.ResourceVersion {
			changes = append(changes, change{old, now})
			_ = p.indexer.Update(now)
		}
	}
	for _, now := range p.services {
		if _, known, _ := p.indexer.Get(now); !known {
			changes = append(changes, change{nil, now})
			_ = p.indexer.Add(now)
		}
	}
	p.mu.Unlock()
	for _, c := range changes {
		for _, h := range p.handlers {
			switch {
			case c.before == nil:
				h.OnAdd(c.after, false)
			case c.after == nil:
				h.OnDelete(c.before)
			default:
				h.OnUpdate(c.before, c.after)
			}
		}
	}
	return len(changes)
}

// The process as an informer.

func (p *process) Informer() cache.SharedIndexInformer { return &modelInformer{process: p} }

func (p *process) Lister() listersv1.ServiceLister { return listersv1.NewServiceLister(p.indexer) }

var _ informersv1.ServiceInformer = (*process)(nil)

type modelInformer struct {
	cache.SharedIndexInformer
	process *process
}

func (i *modelInformer) HasSynced() bool { return true }

func (i *modelInformer) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	i.process.handlers = append(i.process.handlers, h)
	return nil, nil
}
