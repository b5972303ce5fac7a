package balancer

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	informersv1 "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
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
	signs interface{ Wanted(*corev1.Service) bool }

	mu       sync.Mutex
	services map[string]*corev1.Service
	// ever are the Services that were to be served by us at some time.
	ever      map[types.UID]bool
	balancers map[types.UID]bool
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
	dies  int
	calls int
	dead  bool
	busy  map[types.UID]chan struct{}
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
	m.history[svc.Name] = append(m.history[svc.Name], manager+": "+describe(svc))
}

func describe(svc *corev1.Service) string {
	class, kind, address := "", svc.Annotations[otherKey], ""
	if svc.Spec.LoadBalancerClass != nil {
		class = "class"
	}
	for _, i := range svc.Status.LoadBalancer.Ingress {
		address += i.IP
	}
	return fmt.Sprintf("%s %s %s deleted=%t finalizers=%v address=%s record=%s", svc.Spec.Type, class, kind, svc.DeletionTimestamp != nil, svc.Finalizers, address, svc.Annotations[recordKey])
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

// The process as a client.

func (p *process) CoreV1() typedcorev1.CoreV1Interface { return &modelCore{process: p} }

type modelCore struct {
	typedcorev1.CoreV1Interface
	process *process
}

func (c *modelCore) Services(string) typedcorev1.ServiceInterface {
	return &modelServices{process: c.process}
}

func (c *modelCore) Events(string) typedcorev1.EventInterface { return modelEvents{} }

type modelEvents struct{ typedcorev1.EventInterface }

func (modelEvents) CreateWithEventNamespace(e *corev1.Event) (*corev1.Event, error) {
	return e, nil
}

func (modelEvents) PatchWithEventNamespace(e *corev1.Event, _ []byte) (*corev1.Event, error) {
	return e, nil
}

type modelServices struct {
	typedcorev1.ServiceInterface
	process *process
}

func (s *modelServices) Patch(_ context.Context, name string, kind types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (got *corev1.Service, err error) {
	p := s.process
	err = p.call(func() error {
		svc := p.services[name]
		if svc == nil {
			return apierrors.NewNotFound(corev1.Resource("services"), name)
		}
		if !p.ever[svc.UID] {
			p.problem("%s never was ours, and was written: %s", name, data)
		}
		if got, err = patched(svc, kind, data); err != nil {
			return err
		}
		if svc.DeletionTimestamp != nil && len(got.Finalizers) > len(svc.Finalizers) {
			return fmt.Errorf("no finalizers can be added to a Service that is being deleted")
		}
		if p.random.IntN(100) < p.failing {
			return fmt.Errorf("the API server is away")
		}
		if servicehelper.HasLBFinalizer(svc) && strings.Contains(string(data), `"finalizers":[`) {
			p.both[name] = true
		}
		p.set(got, us)
		return nil
	})
	return got, err
}

// patched returns the Service with the patch. Of JSON patches it knows those that the program writes.
func patched(svc *corev1.Service, kind types.PatchType, data []byte) (*corev1.Service, error) {
	if kind == types.JSONPatchType {
		return exchanged(svc.DeepCopy(), data)
	}
	before, err := json.Marshal(svc)
	if err != nil {
		return nil, err
	}
	after, err := strategicpatch.StrategicMergePatch(before, data, corev1.Service{})
	if err != nil {
		return nil, err
	}
	next := &corev1.Service{}
	if err := json.Unmarshal(after, next); err != nil {
		return nil, err
	}
	if next.UID != svc.UID {
		return nil, fmt.Errorf("the UID is another one")
	}
	return next, nil
}

func exchanged(svc *corev1.Service, data []byte) (*corev1.Service, error) {
	var operations []struct {
		Op, Path string
		Value    json.RawMessage
	}
	if err := json.Unmarshal(data, &operations); err != nil {
		return nil, err
	}
	for _, o := range operations {
		var present any
		key := strings.NewReplacer("~1", "/", "~0", "~").Replace(strings.TrimPrefix(o.Path, "/metadata/annotations/"))
		switch o.Path {
		case "/metadata/uid":
			present = svc.UID
		case "/status/loadBalancer/ingress":
			present = svc.Status.LoadBalancer.Ingress
		default:
			present = svc.Annotations[key]
		}
		text, err := json.Marshal(present)
		switch {
		case err != nil:
			return nil, err
		case o.Op == "test" && string(text) != string(o.Value):
			return nil, fmt.Errorf("%s is %s", o.Path, text)
		case o.Op == "remove" && o.Path == "/status/loadBalancer/ingress":
			svc.Status.LoadBalancer = corev1.LoadBalancerStatus{}
		case o.Op == "remove":
			delete(svc.Annotations, key)
		case o.Op == "add":
			var value string
			if err := json.Unmarshal(o.Value, &value); err != nil {
				return nil, err
			}
			metav1.SetMetaDataAnnotation(&svc.ObjectMeta, key, value)
		}
	}
	return svc, nil
}

// The process as a manager of load balancers. As the real one, it does one thing for a Service at a time.

func (p *process) run(svc *corev1.Service, work func() error) error {
	p.mu.Lock()
	turn := p.busy[svc.UID]
	if turn == nil {
		turn = make(chan struct{}, 1)
		p.busy[svc.UID] = turn
	}
	takes := time.Duration(p.random.IntN(3)) * time.Second
	p.mu.Unlock()
	turn <- struct{}{}
	defer func() { <-turn }()
	time.Sleep(takes)
	return p.call(func() error {
		switch n := p.random.IntN(100); {
		case n < p.failing/2:
			return fmt.Errorf("the cloud is away")
		case n < p.failing:
			return &loadbalancer.Pending{After: time.Second, Reason: "the cloud is at it"}
		}
		return work()
	})
}

func (p *process) Ensure(_ context.Context, svc *corev1.Service, _ []*corev1.Node) (o loadbalancer.Outcome, err error) {
	err = p.run(svc, func() error {
		if p.gone(svc) {
			return &loadbalancer.Pending{After: time.Second, Reason: "the Service gives its load balancer up"}
		}
		p.balancers[svc.UID] = true
		p.history[svc.Name] = append(p.history[svc.Name], "cloud: made")
		o.Record = map[string]string{recordKey: "1"}
		o.Status = &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: ourAddress}}}
		return nil
	})
	return o, err
}

// gone reports whether the cache shows that the Service gives its balancer up. The real manager asks so too before it writes.
func (p *process) gone(svc *corev1.Service) bool {
	kept, there, err := p.indexer.GetByKey(svc.Namespace + "/" + svc.Name)
	if err != nil || !there {
		return true
	}
	current, is := kept.(*corev1.Service)
	return !is || current.UID != svc.UID || request.IsDeleting(current)
}

func (p *process) UpdateTargets(context.Context, *corev1.Service, []*corev1.Node) error { return nil }

func (p *process) Delete(_ context.Context, svc *corev1.Service) error {
	return p.run(svc, func() error {
		delete(p.balancers, svc.UID)
		p.history[svc.Name] = append(p.history[svc.Name], "cloud: deleted")
		return nil
	})
}

func (p *process) Get(context.Context, *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	return nil, true, nil
}

func (p *process) Holds(_ context.Context, svc *corev1.Service) (holds bool, err error) {
	err = p.run(svc, func() error {
		holds = p.balancers[svc.UID]
		return nil
	})
	return holds, err
}

func (p *process) Name(svc *corev1.Service) string { return svc.Name }
