package balancer

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	informersv1 "k8s.io/client-go/informers/core/v1"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	servicecontroller "k8s.io/cloud-provider/controllers/service"
	servicehelper "k8s.io/cloud-provider/service/helpers"
	controllersmetrics "k8s.io/component-base/metrics/prometheus/controllers"
	"k8s.io/klog/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
)

// together is how many Services live in one world, and share its processes: each has a sequence of its own.
const together = 100

// world is a model with the process that runs in it, if there is one.
type world struct {
	*model
	t       *testing.T
	random  *rand.Rand
	process *process
	end     func()
	names   []string
	// theirs are Services to which the other controller added the library's finalizer.
	theirs map[string]bool
	// restored are Services of which it is not known any more who wrote what.
	restored map[string]bool
}

func newWorld(t *testing.T, seed uint64, r rules) *world {
	return &world{t: t, theirs: map[string]bool{}, restored: map[string]bool{}, random: rand.New(rand.NewPCG(seed, 29)), model: &model{
		rules: r, services: map[string]*corev1.Service{}, ever: map[types.UID]bool{}, balancers: map[string]*stored{}, rests: map[types.UID]bool{},
		history: map[string][]string{}, both: map[string]bool{},
	}}
}

// quietLogs leaves out the log: failures are what these tests are about.
func quietLogs(t *testing.T) {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	t.Cleanup(klog.ClearLogger)
}

// age is a time in which the same process runs, or none.
func (w *world) age() {
	if w.random.IntN(4) > 0 {
		w.start(&process{failing: w.random.IntN(2) * w.random.IntN(60), dies: w.random.IntN(2) * w.random.IntN(w.calls*together), blind: w.random.IntN(8) == 0})
	}
	for range 1 + w.random.IntN(3) {
		for n, name := range w.names {
			if w.current(name) == nil { // upstream's writes name no UID: they may reach another one of the same name
				w.names[n] = w.create()
			} else if w.random.IntN(3) > 0 {
				w.act(name)
			}
		}
		switch w.random.IntN(3) {
		case 0: // what comes next is told together with this
		case 1:
			w.deliver()
		case 2:
			w.pass(time.Duration(w.random.IntN(20_000))*time.Millisecond, time.Second)
			if w.settling > 0 && w.random.IntN(4) == 0 {
				w.pass(time.Duration(w.random.Int64N(int64(w.settling))), 10*time.Second)
			}
		}
	}
	w.stop()
}

// start starts a process.
func (w *world) start(p *process) {
	p.model, p.random = w.model, rand.New(rand.NewPCG(w.random.Uint64(), 1))
	p.indexer = cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	services := view.NewServices(p, w.signs)
	a := New(Options{Manager: w.manager(p, services), Services: services, Nodes: func() []*corev1.Node { return []*corev1.Node{oneNode} }, Drain: drain.New(), Events: &fakeRecorder{}, Workers: 5})
	p.adapter = a
	a.Connect(p.CoreV1())
	services.Follow(a)
	c, err := servicecontroller.New(&balanced{balancers: a}, p, services, nodes{}, "c", utilfeature.DefaultFeatureGate)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		c.Run(ctx, 5, controllersmetrics.NewControllerManagerMetrics("test"))
		close(done)
	}()
	w.process = p
	w.end = func() {
		p.mu.Lock()
		p.dead = true
		p.mu.Unlock()
		cancel()
		<-done
	}
	w.deliver()
}

func (w *world) stop() {
	if w.process != nil {
		w.end()
		w.process = nil
	}
}

// deliver tells the process what has changed, if there is one that lives.
func (w *world) deliver() (told int) {
	if w.process == nil {
		return 0
	}
	return w.process.deliver()
}

// pass lets time pass, in which changes are told with each step.
func (w *world) pass(d, step time.Duration) {
	for left := d; left >= 0; left -= step {
		w.deliver()
		time.Sleep(step)
		synctest.Wait()
	}
}

// create creates a Service and returns its name.
func (w *world) create() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	svc := service(fmt.Sprint("s", w.serial))
	svc.Spec.Ports = []corev1.ServicePort{{Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 30080}}
	switch w.random.IntN(5) {
	case 0:
		svc.Spec.LoadBalancerClass = new("example.com/other")
	case 1:
		metav1.SetMetaDataAnnotation(&svc.ObjectMeta, otherKey, "theirs")
	case 2:
		svc.Spec.Type = corev1.ServiceTypeClusterIP
	}
	if w.aliens != noAliens && w.random.IntN(4) == 0 {
		w.addAlien(svc)
	}
	w.set(svc, "user")
	return svc.Name
}

const alienPrefix = "lb-alien-"

// addAlien makes a load balancer that is not ours, and that something of the Service leads to.
func (w *world) addAlien(svc *corev1.Service) {
	s := &stored{Balancer: cloud.Balancer{Name: "alien"}, id: alienPrefix + svc.Name, address: "198.51.100.8"}
	switch w.balancers[s.id] = s; {
	case w.aliens == namedAliens:
		s.Name = svc.Name
	case svc.Spec.LoadBalancerClass != nil:
		metav1.SetMetaDataAnnotation(&svc.ObjectMeta, recordKey, s.id)
	}
}

// change changes a Service, for a manager.
func (w *world) change(name, manager string, change func(*corev1.Service)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if svc := w.services[name]; svc != nil {
		svc = svc.DeepCopy()
		change(svc)
		w.set(svc, manager)
	}
}

// act does one thing to a Service.
func (w *world) act(name string) {
	svc := w.current(name)
	theirs := w.signs.Foreign(svc) && svc.DeletionTimestamp == nil
	switch w.random.IntN(7) {
	case 0, 1, 2:
		if theirs || !w.holdsOther(svc) { // who changes the controller waits until the other one has ended
			w.user(svc)
		}
	case 3:
		if w.random.IntN(3) == 0 {
			w.change(name, "user", func(s *corev1.Service) {
				if s.DeletionTimestamp == nil {
					s.DeletionTimestamp = new(metav1.Now())
				}
			})
		}
	case 4, 5:
		w.other(svc, theirs)
	case 6:
		restored := !w.theirs[name] && w.random.IntN(4) == 0
		w.restored[name] = w.restored[name] || restored
		w.change(name, "user", func(s *corev1.Service) {
			if s.Labels = map[string]string{"n": fmt.Sprint(w.serial)}; !restored {
				return
			}
			if s.ManagedFields = nil; w.random.IntN(2) == 0 {
				delete(s.Annotations, recordKey)
				delete(s.Annotations, annotation.Creation.Name)
			}
		})
	}
}

// holdsOther reports whether the other controller is not done with the Service.
func (w *world) holdsOther(svc *corev1.Service) bool {
	return slices.Contains(svc.Finalizers, otherFinalizer) || w.theirs[svc.Name]
}

// user changes type, class and annotation.
func (w *world) user(svc *corev1.Service) {
	w.change(svc.Name, "user", func(s *corev1.Service) {
		if s.DeletionTimestamp != nil {
			return
		}
		switch isBalancer := s.Spec.Type == corev1.ServiceTypeLoadBalancer; {
		case isBalancer && s.Spec.LoadBalancerClass == nil && w.random.IntN(3) == 0:
			kind := "theirs"
			if s.Annotations[otherKey] == kind {
				kind = "ours"
			}
			metav1.SetMetaDataAnnotation(&s.ObjectMeta, otherKey, kind)
		case isBalancer:
			s.Spec.Type = corev1.ServiceTypeClusterIP
			if strings.HasPrefix(s.Annotations[recordKey], alienPrefix) { // it would be taken over
				delete(s.Annotations, recordKey)
			}
		default:
			s.Spec.Type = corev1.ServiceTypeLoadBalancer
			delete(s.Annotations, otherKey)
			switch w.random.IntN(4) {
			case 0, 1:
				s.Spec.LoadBalancerClass = new("example.com/other")
			case 2:
				metav1.SetMetaDataAnnotation(&s.ObjectMeta, otherKey, "theirs")
			}
		}
	})
}

// other is what another controller does: it serves its Services, and lets the others go.
func (w *world) other(svc *corev1.Service, theirs bool) {
	w.change(svc.Name, other, func(s *corev1.Service) {
		put := func(finalizer string) {
			if !slices.Contains(s.Finalizers, finalizer) {
				s.Finalizers = append(s.Finalizers, finalizer)
			}
		}
		if !theirs {
			s.Finalizers = slices.DeleteFunc(s.Finalizers, func(f string) bool { return f == otherFinalizer || f == library && w.theirs[s.Name] })
			w.theirs[s.Name] = false
			return
		}
		// One that is chosen by the annotation has a finalizer of its own: the library's is the one of who serves without a class.
		if put(otherFinalizer); s.Spec.LoadBalancerClass != nil && !w.restored[s.Name] && !servicehelper.HasLBFinalizer(s) && w.random.IntN(2) == 0 {
			put(library)
			w.theirs[s.Name] = true
		}
		s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: otherAddress}}
	})
}

// oneNode is the Node of the cluster, and nodes are its Nodes.
var oneNode = frameworktest.Node("a", "model://1", frameworktest.WithReady(corev1.ConditionTrue))

type nodes struct{ informersv1.NodeInformer }

func (nodes) Informer() cache.SharedIndexInformer { return &modelInformer{process: &process{}} }

func (nodes) Lister() listersv1.NodeLister {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	_ = indexer.Add(oneNode) // in memory
	return listersv1.NewNodeLister(indexer)
}

func (w *world) current(name string) *corev1.Service {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.services[name]
}
