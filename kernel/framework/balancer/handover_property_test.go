package balancer

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	servicehelper "k8s.io/cloud-provider/service/helpers"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/handover"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/view"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

var (
	sequences     = flag.Int("handover-sequences", 50_000, "how many sequences TestHandovers plays")
	realSequences = flag.Int("handover-manager-sequences", 12_000, "how many sequences TestHandoversOfManager plays")
	onlySeed      = flag.Uint64("handover-seed", 0, "the world that these tests play alone, 0 for all")
)

// fewer divides the number of sequences.
var fewer = 1

// rules are what two tests of the same sequences differ in.
type rules struct {
	signs handover.Signs
	// manager returns the one of a process.
	manager func(*process, *view.Services) Manager
	// calls is how many calls a Service makes at most before its process dies.
	calls int
	// settling is how much time passes at most between two things that happen: more than what the manager remembers by the clock.
	settling time.Duration
	// aliens says what leads to load balancers of others, see there.
	aliens aliens
}

// TestHandovers plays random sequences of what users, another controller, the cloud and crashes do to Services, with upstream's
// service controller, the view and the adapter. In the end, when nothing is in the way any more:
//
//	a Service that we serve                has one load balancer, its address and the finalizer
//	any other one                          has no load balancer of ours, and no finalizer that we put
//	one that another controller serves     has the other's finalizers and address. The library's may be gone where we put it too
//	one that is deleted                    is gone, unless the other's finalizers hold it
//
// A Service that never was ours is never written, nor is a load balancer of others.
//
// A model takes the place of the manager of load balancers, which is quick. TestHandoversOfManager plays fewer sequences with the real
// one.
func TestHandovers(t *testing.T) {
	playWorlds(t, *sequences, func(uint64) rules { return modelRules })
}

// modelRules are those of a world with a model of the manager.
var modelRules = rules{signs: signsOf(recordKey), calls: 6, manager: func(p *process, _ *view.Services) Manager { return newModelManager(p) }}

// TestHandoversOfManager is TestHandovers with the real manager of load balancers, over clouds of all flavours in memory. Processes die
// between any two requests, some see another account, and periods pass for which the manager believes what a creation answered.
func TestHandoversOfManager(t *testing.T) {
	playWorlds(t, *realSequences, func(seed uint64) rules {
		f := flavourOf(seed)
		r := rules{signs: signsOf(""), calls: 20, settling: 2 * creation.Settling, aliens: f.aliens}
		if f.ids {
			r.signs = signsOf(recordKey)
		}
		r.manager = func(p *process, services *view.Services) Manager { return realManager(p, services, f) }
		return r
	})
}

// flavourOf returns the flavour of the cloud in the world of that seed.
func flavourOf(seed uint64) flavour {
	random := rand.New(rand.NewPCG(seed, 31))
	is := func() bool { return random.IntN(2) == 0 }
	mostly := func() bool { return random.IntN(4) > 0 }
	f := flavour{
		ids: mostly(), tagged: mostly(), bulk: is(), slow: is(), rests: is(), late: is(),
		aliens: []aliens{noAliens, namedAliens, recordedAliens}[random.IntN(3)],
	}
	if f.unique() {
		f.late, f.aliens = false, noAliens
	}
	return f
}

// realManager returns the manager of load balancers as the program has it, in a cloud of that flavour.
func realManager(p *process, services *view.Services, f flavour) Manager {
	driver, adoption := &modelCloud{p, f}, safety.Adoption{}
	if f.aliens == namedAliens {
		adoption, _ = safety.ParseAdoption([]string{string(safety.AdoptOwn)})
	}
	o := run.Options{Annotations: handoverKeys, Descriptor: cloud.Descriptor{
		Name: "model", ProviderIDSchemes: []string{"model"},
		Capabilities: cloud.Capabilities{Balancers: true, Protocols: []cloud.Protocol{cloud.ProtocolTCP}},
	}}
	if f.ids {
		o.Descriptor.IDAnnotation = recordKey
	}
	c := run.Decorate(cloudtest.Driver(driver), o)
	if f.bulk {
		c = run.Decorate(cloudtest.Driver(&bulkCloud{driver}), o)
	}
	return loadbalancer.New(loadbalancer.Options{
		Cloud: c, Machines: oneMachine{}, Executor: run.NewExecutor(c, run.Live, nil, nil), ClusterID: "prod", Events: p, Metrics: metric.Discard{},
		Trust: driver.trust, Services: services.All, Adoption: adoption,
		Record: func(ctx context.Context, svc *corev1.Service, annotations map[string]string) error {
			return p.adapter.Record(ctx, svc, annotations)
		},
	})
}

// oneMachine is the machine of the Node.
type oneMachine struct{ target.Machines }

func (oneMachine) Generation() any { return nil }

func (oneMachine) Held() bool { return false }

func (oneMachine) ProviderID(*corev1.Node) (cloud.InstanceID, error) { return "1", nil }

func (oneMachine) Lookup(context.Context, []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return map[cloud.InstanceID]cloud.Instance{"1": {ID: "1", ProviderID: oneNode.Spec.ProviderID}}, nil
}

func playWorlds(t *testing.T, sequences int, rulesOf func(seed uint64) rules) {
	quietLogs(t)
	if *onlySeed != 0 {
		playWorld(t, *onlySeed, rulesOf(*onlySeed))
		return
	}
	for seed := range uint64((sequences/fewer + together - 1) / together) {
		if playWorld(t, seed+1, rulesOf(seed+1)); t.Failed() {
			return
		}
	}
}

func playWorld(t *testing.T, seed uint64, r rules) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, seed, r)
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

// handoverKeys are the annotations of the cloud.
var handoverKeys = annotation.Set{
	{Name: recordKey, Type: annotation.TypeString, Output: true, Want: "an id", Check: func(id string) (string, bool) { return id, strings.HasPrefix(id, "lb-") }},
	{Name: otherKey, Type: annotation.TypeEnum, Enum: []string{"ours", "theirs"}, OtherController: []string{"theirs"}},
}

// signsOf returns the signs of a cloud with that annotation for the id.
func signsOf(idAnnotation string) handover.Signs {
	return handover.SignsOf(&run.Cloud{Descriptor: cloud.Descriptor{IDAnnotation: idAnnotation}, Annotations: handoverKeys})
}

// conclude lets everything come to its end, and judges. What fails in the beginning has to be tried again by the same process.
func (w *world) conclude() {
	last := &process{}
	if w.settling > 0 {
		last.failing, last.blind = 50, w.random.IntN(3) == 0
	}
	w.start(last)
	w.pass(2*time.Minute, time.Second)
	if w.settling > 0 {
		w.mu.Lock()
		last.failing, last.blind = 0, false
		w.mu.Unlock()
		w.pass(time.Hour, 10*time.Second)
	}
	time.Sleep(time.Hour)
	w.pass(time.Minute, time.Second)
	w.stop()
	w.sweep()
	for _, problem := range w.problems {
		w.t.Error(problem)
	}
	for _, svc := range w.services {
		for _, wrong := range w.judge(svc) {
			w.t.Errorf("%s: %s\n%s", svc.Name, wrong, strings.Join(w.history[svc.Name], "\n"))
		}
	}
	there := map[types.UID]bool{"": true}
	for _, svc := range w.services {
		there[svc.UID] = true
	}
	for _, s := range w.balancers {
		if name := strings.TrimPrefix(string(s.uid), "uid-"); !there[s.uid] {
			w.t.Errorf("%s is gone, its load balancer is not:\n%s", name, strings.Join(w.history[name], "\n"))
		}
	}
	for uid := range w.rests {
		if name := strings.TrimPrefix(string(uid), "uid-"); !there[uid] {
			w.t.Errorf("%s is gone, what was left of its load balancer is not:\n%s", name, strings.Join(w.history[name], "\n"))
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
	balancers := w.of(svc)
	if w.signs.Wanted(svc) && svc.DeletionTimestamp == nil {
		say(len(balancers) == 0, "it has no load balancer")
		say(len(balancers) > 1, "it has several load balancers")
		say(!servicehelper.HasLBFinalizer(svc), "it has no finalizer")
		say(len(balancers) == 1 && address != balancers[0].address, "it has not the address of its load balancer")
		return wrong
	}
	say(len(balancers) > 0, "its load balancer is left")
	say(w.rests[svc.UID], "something is left of its load balancer")
	say(w.theirs[svc.Name] && !w.both[svc.Name] && !servicehelper.HasLBFinalizer(svc), "the other controller's finalizer is gone")
	if w.restored[svc.Name] && svc.Annotations[recordKey] == "" && creation.Of(svc) == nil {
		return wrong // nobody knows whose the finalizer is
	}
	say(slices.Contains(managers, us), "our finalizer is left")
	say(address != "" && address != otherAddress && svc.DeletionTimestamp == nil && !w.restored[svc.Name], "our address is left")
	say(w.restored[svc.Name] && servicehelper.HasLBFinalizer(svc), "our finalizer is left")
	say(svc.DeletionTimestamp != nil && !w.holdsOther(svc), "it is not deleted")
	return wrong
}
