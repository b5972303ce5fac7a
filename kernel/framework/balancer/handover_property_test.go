package balancer

import (
	"context"
	"flag"
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
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

var (
	sequences = flag.Int("handover-sequences", 50_000, "how many sequences TestHandovers plays")
	onlySeed  = flag.Uint64("handover-seed", 0, "the world that TestHandovers plays alone, 0 for all")
)

// fewer divides the number of sequences.
var fewer = 1

// together is how many Services live in one world, and share its processes: each has a sequence of its own.
const together = 100

// TestHandovers plays random sequences of what users, another controller, the cloud and crashes do to Services, with upstream's
// service controller, the view and the adapter. In the end, when nothing is in the way any more:
//
//	a Service that we serve                has a load balancer and the finalizer
//	any other one                          has no load balancer of ours, and no finalizer that we put
//	one that another controller serves     has the other's finalizers and address. The library's may be gone where we put it too
//	one that is deleted                    is gone, unless the other's finalizers hold it
//
// A Service that never was ours is never written.
func TestHandovers(t *testing.T) {
	quietLogs(t)
	if *onlySeed != 0 {
		playWorld(t, *onlySeed)
		return
	}
	for seed := range uint64((*sequences/fewer + together - 1) / together) {
		if playWorld(t, seed+1); t.Failed() {
			return
		}
	}
}

// quietLogs drops what is logged: failures are what the test is about.
func quietLogs(t *testing.T) {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler))
	t.Cleanup(klog.ClearLogger)
}

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

func playWorld(t *testing.T, seed uint64) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, theirs: map[string]bool{}, restored: map[string]bool{}, random: rand.New(rand.NewPCG(seed, 29)), model: &model{
			signs: handoverSigns, services: map[string]*corev1.Service{}, ever: map[types.UID]bool{}, balancers: map[types.UID]bool{}, history: map[string][]string{}, both: map[string]bool{},
		}}
		for range together {
			w.names = append(w.names, w.create())
		}
		for range 8 {
			w.age()
		}
		w.conclude()
		if t.Failed() {
			t.Logf("in the world of seed %d", seed)
		}
	})
}

var handoverSigns = handover.SignsOf(&run.Cloud{
	Descriptor:  cloud.Descriptor{IDAnnotation: recordKey},
	Annotations: annotation.Set{{Name: otherKey, Type: annotation.TypeEnum, Enum: []string{"ours", "theirs"}, OtherController: []string{"theirs"}}},
})

// age is a time in which the same process runs, or none.
func (w *world) age() {
	if w.random.IntN(4) > 0 {
		w.start(w.random.IntN(2)*w.random.IntN(60), w.random.IntN(2)*w.random.IntN(6*together))
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
			w.pass(time.Duration(w.random.IntN(20_000)) * time.Millisecond)
		}
	}
	w.stop()
}

// start starts a process.
func (w *world) start(failing, dies int) {
	p := &process{
		model: w.model, indexer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}),
		random: rand.New(rand.NewPCG(w.random.Uint64(), 1)), failing: failing, dies: dies, busy: map[types.UID]chan struct{}{},
	}
	services := view.NewServices(p, handoverSigns)
	a := New(Options{Manager: p, Services: services, Nodes: func() []*corev1.Node { return nil }, Drain: drain.New(), Events: &fakeRecorder{}, Deletions: 5})
	a.Connect(p.CoreV1())
	services.Follow(a)
	c, err := servicecontroller.New(&balanced{balancers: a}, p, services, noNodes{}, "c", utilfeature.DefaultFeatureGate)
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

// pass lets time pass, in which all changes are told.
func (w *world) pass(d time.Duration) {
	for left := d; left >= 0; left -= time.Second {
		w.deliver()
		time.Sleep(time.Second)
		synctest.Wait()
	}
}

// create creates a Service and returns its name.
func (w *world) create() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	svc := service(fmt.Sprint("s", w.serial))
	switch w.random.IntN(5) {
	case 0:
		svc.Spec.LoadBalancerClass = new("example.com/other")
	case 1:
		metav1.SetMetaDataAnnotation(&svc.ObjectMeta, otherKey, "theirs")
	case 2:
		svc.Spec.Type = corev1.ServiceTypeClusterIP
	}
	w.set(svc, "user")
	return svc.Name
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
	theirs := handoverSigns.Foreign(svc) && svc.DeletionTimestamp == nil
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
			if s.Labels = map[string]string{"n": fmt.Sprint(w.serial)}; restored {
				s.ManagedFields = nil
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

// conclude lets everything come to its end, and judges.
func (w *world) conclude() {
	w.start(0, 0)
	w.pass(2 * time.Minute)
	time.Sleep(time.Hour)
	w.pass(time.Minute)
	w.stop()
	for _, problem := range w.problems {
		w.t.Error(problem)
	}
	for _, svc := range w.services {
		for _, wrong := range w.judge(svc) {
			w.t.Errorf("%s: %s\n%s", svc.Name, wrong, strings.Join(w.history[svc.Name], "\n"))
		}
	}
	for uid := range w.balancers {
		if name := strings.TrimPrefix(string(uid), "uid-"); w.services[name] == nil {
			w.t.Errorf("%s is gone, its load balancer is not:\n%s", name, strings.Join(w.history[name], "\n"))
		}
	}
}

func (w *world) judge(svc *corev1.Service) (wrong []string) {
	say := func(is bool, text string) {
		if is {
			wrong = append(wrong, text)
		}
	}
	managers, address := handover.FinalizerManagers(svc), ""
	for _, i := range svc.Status.LoadBalancer.Ingress {
		address = i.IP
	}
	if handoverSigns.Wanted(svc) && svc.DeletionTimestamp == nil {
		say(!w.balancers[svc.UID], "it has no load balancer")
		say(!servicehelper.HasLBFinalizer(svc), "it has no finalizer")
		say(address != ourAddress, "it has no address of ours")
		return wrong
	}
	say(w.balancers[svc.UID], "its load balancer is left")
	say(w.theirs[svc.Name] && !w.both[svc.Name] && !servicehelper.HasLBFinalizer(svc), "the other controller's finalizer is gone")
	if w.restored[svc.Name] && svc.Annotations[recordKey] == "" {
		return wrong // nobody knows whose the finalizer is
	}
	say(slices.Contains(managers, us), "our finalizer is left")
	say(address == ourAddress && svc.DeletionTimestamp == nil && !w.restored[svc.Name], "our address is left")
	say(w.restored[svc.Name] && servicehelper.HasLBFinalizer(svc), "our finalizer is left")
	say(svc.DeletionTimestamp != nil && !w.holdsOther(svc), "it is not deleted")
	return wrong
}

// noNodes are the Nodes of a cluster without any.
type noNodes struct{ informersv1.NodeInformer }

func (noNodes) Informer() cache.SharedIndexInformer { return &modelInformer{process: &process{}} }

func (noNodes) Lister() listersv1.NodeLister {
	return listersv1.NewNodeLister(cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil))
}

func (w *world) current(name string) *corev1.Service {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.services[name]
}
