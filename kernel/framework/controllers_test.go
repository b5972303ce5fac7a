package framework

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"
	cloudcontrollerconfig "k8s.io/cloud-provider/app/config"
	"k8s.io/cloud-provider/names"
	"k8s.io/cloud-provider/options"
	controllersmetrics "k8s.io/component-base/metrics/prometheus/controllers"
	controllermanagerapp "k8s.io/controller-manager/app"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/client"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/drain"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/flag"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/recorder"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// machines is an inventory in which every Node has a dual-stack machine until it is gone.
type machines struct {
	mu   sync.Mutex
	gone map[string]bool
}

func (m *machines) Metadata(_ context.Context, n *corev1.Node) (cloud.Instance, error) {
	return cloud.Instance{ID: cloud.InstanceID(n.Name), ProviderID: "sim://" + n.Name, Addresses: []cloud.Address{
		{Type: cloud.AddressInternalIP, Address: "10.0.0.1"},
		{Type: cloud.AddressInternalIP, Address: "fd00::1"},
	}}, nil
}

func (m *machines) Exists(_ context.Context, n *corev1.Node) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.gone[n.Name], nil
}

func (m *machines) Running(*corev1.Node) bool { return false }

func (m *machines) Shutdown(context.Context, *corev1.Node) (bool, error) { return false, nil }

// balancing counts what the service controller asks for.
type balancing struct {
	log
	deletions int
	// busy is how many looks at a new balancer, a change of targets or a deletion it takes.
	busy int
	// waits says that there is no balancer before a node can be its target.
	waits bool
	// counting guards the counters.
	counting sync.Mutex
	work     int
	// slow is how long an ensure and a deletion take.
	slow atomic.Int64
	// deleting and most are how many deletions run, and ran at once.
	deleting, most int
}

// working is *Pending for so many looks.
func (b *balancing) working() error {
	b.counting.Lock()
	defer b.counting.Unlock()
	if b.work >= b.busy {
		b.work = 0
		return nil
	}
	b.work++
	return &loadbalancer.Pending{After: 5 * time.Second, Reason: "the cloud is working on the balancer"}
}

func (b *balancing) Ensure(_ context.Context, svc *corev1.Service, nodes []*corev1.Node) (loadbalancer.Outcome, error) {
	b.Add("ensure " + svc.Name + " " + strconv.Itoa(len(nodes)))
	time.Sleep(time.Duration(b.slow.Load()))
	if b.waits && len(nodes) == 0 {
		return loadbalancer.Outcome{}, &loadbalancer.Pending{After: 5 * time.Minute, Reason: "no node can be a target"}
	}
	if err := b.working(); err != nil {
		return loadbalancer.Outcome{}, err
	}
	return loadbalancer.Outcome{
		Status: &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}},
		Record: map[string]string{"example.com/id": "7"},
	}, nil
}

func (b *balancing) UpdateTargets(_ context.Context, svc *corev1.Service, nodes []*corev1.Node) error {
	b.Add("targets " + svc.Name + " " + strconv.Itoa(len(nodes)))
	if b.waits && len(svc.Status.LoadBalancer.Ingress) == 0 {
		return loadbalancer.ErrNoBalancer
	}
	return b.working()
}

// Delete needs two calls, as where the cloud takes its time.
func (b *balancing) Delete(_ context.Context, svc *corev1.Service) error {
	b.Add("delete " + svc.Name)
	count := func(running int) int {
		b.counting.Lock()
		defer b.counting.Unlock()
		b.deleting += running
		b.deletions += max(running, 0)
		b.most = max(b.most, b.deleting)
		return b.deletions
	}
	first := count(1) == 1
	time.Sleep(time.Duration(b.slow.Load()))
	count(-1)
	if first {
		return &loadbalancer.Pending{After: 2 * time.Second, Reason: "deleting"}
	}
	return b.working()
}

func (b *balancing) Get(context.Context, *corev1.Service) (*corev1.LoadBalancerStatus, bool, error) {
	return nil, true, nil
}

func (b *balancing) Holds(context.Context, *corev1.Service) (bool, error) { return false, nil }

func (b *balancing) Name(*corev1.Service) string { return "a" }

// testBuilder gives decorated clients of a fake API server.
type testBuilder struct {
	client.Builder
	server *fake.Clientset
}

func (b *testBuilder) Config(string) (*rest.Config, error) { return &rest.Config{}, nil }
func (b *testBuilder) ConfigOrDie(string) *rest.Config     { return &rest.Config{} }
func (b *testBuilder) Client(name string) (kubernetes.Interface, error) {
	return b.ClientOrDie(name), nil
}
func (b *testBuilder) ClientOrDie(string) kubernetes.Interface { return b.Decorate(b.server, b.server) }

func completedConfig(t *testing.T, server *fake.Clientset) *cloudcontrollerconfig.CompletedConfig {
	t.Helper()
	o, err := options.NewCloudControllerManagerOptions()
	if err != nil {
		t.Fatal(err)
	}
	flag.Defaults(o)
	config := &cloudcontrollerconfig.Config{VersionedClient: server, Kubeconfig: &rest.Config{}}
	component := &config.ComponentConfig
	err = errors.Join(
		o.KubeCloudShared.ApplyTo(&component.KubeCloudShared),
		o.ServiceController.ApplyTo(&component.ServiceController),
		o.NodeController.ApplyTo(&component.NodeController),
		o.NodeLifecycleController.ApplyTo(&component.NodeLifecycleController),
	)
	if err != nil {
		t.Fatal(err)
	}
	component.NodeStatusUpdateFrequency = o.NodeStatusUpdateFrequency
	component.Generic.MinResyncPeriod.Duration = 12 * time.Hour
	return config.Complete()
}

// running starts upstream's controllers against a fake API server, in a synctest bubble.
func running(t *testing.T, m *machines, b *balancing) *fake.Clientset {
	t.Helper()
	decorated := &run.Cloud{Name: "sim", Descriptor: cloud.Descriptor{Name: "sim", ProviderIDSchemes: []string{"sim"}}}
	return runningOn(t, decorated, func(*Cloud) inventory { return m }, b)
}

// machinesOf reads the machines of a cloud as the program does.
func machinesOf(decorated *run.Cloud) func(*Cloud) inventory {
	return func(c *Cloud) inventory {
		return instance.New(instance.Options{Cloud: decorated, Nodes: c.Nodes, Events: c.recorder})
	}
}

// runningOn is running with a cloud and what knows its machines.
func runningOn(t *testing.T, decorated *run.Cloud, machines func(*Cloud) inventory, b *balancing) *fake.Clientset {
	t.Helper()
	server := fake.NewClientset()
	completed := completedConfig(t, server)
	c := &Cloud{
		options:  Options{Tuning: DefaultTuning()},
		cloud:    decorated,
		recorder: recorder.New(), calls: drain.New(), decisions: client.NewDecisions(),
	}
	c.stopping, c.stop = context.WithCancel(context.Background())
	c.balancers = &loadbalancer.Manager{}
	if err := c.connect(completed); err != nil {
		t.Fatal(err)
	}
	c.instances.inventory, c.loadBalancers.Manager = machines(c), b
	builder := &testBuilder{Builder: *completed.ClientBuilder.(*client.Builder), server: server}
	completed.ClientBuilder = builder
	c.followInventory()
	c.Initialize(builder, nil)
	for _, name := range []string{names.CloudNodeController, names.CloudNodeLifecycleController, names.ServiceLBController} {
		constructor := Controllers()[name]
		start := constructor.Constructor(constructor.InitContext, completed, c)
		if name == names.CloudNodeLifecycleController && decorated.Descriptor.Offline {
			continue // nobody can say that a machine is gone
		}
		if _, started, err := start(t.Context(), controllermanagerapp.ControllerContext{
			ControllerManagerMetrics: controllersmetrics.NewControllerManagerMetrics("test"),
		}); err != nil || !started {
			t.Fatalf("starting %s: %v, %v", name, started, err)
		}
	}
	startInformers(t, c, completed)
	settle()
	return server
}

// startInformers starts the informers, and ends them and the Cloud with the test.
func startInformers(t *testing.T, c *Cloud, completed *cloudcontrollerconfig.CompletedConfig) {
	t.Helper()
	completed.SharedInformers.Start(c.stopping.Done())
	t.Cleanup(func() {
		if err := c.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		c.recorder.Broadcaster.Shutdown()
		completed.SharedInformers.Shutdown()
	})
}

// settle lets everything happen that is due within a window.
func settle() {
	time.Sleep(window + time.Second)
	synctest.Wait()
}

func join(t *testing.T, server *fake.Clientset, count int) {
	t.Helper()
	for i := range count {
		n := node("n"+strconv.Itoa(i), "", withTaint(uninitializedTaint), withReady(corev1.ConditionTrue))
		n.ResourceVersion = ""
		if _, err := server.CoreV1().Nodes().Create(context.Background(), n, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func TestNodesAreInitialisedAndNotPatchedForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := running(t, &machines{}, &balancing{})
		join(t, server, 3)
		settle()
		list, err := server.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range list.Items {
			if n.Spec.ProviderID != "sim://"+n.Name || instance.Uninitialized(&n) || len(n.Status.Addresses) != 2 {
				t.Errorf("node %s: %+v, %v", n.Name, n.Spec, n.Status.Addresses)
			}
		}
		writes := map[string]int{}
		for _, action := range server.Actions() {
			switch verb := action.GetVerb(); verb {
			case "get", "list", "watch":
			default:
				writes[verb+" "+action.GetResource().Resource]++
			}
		}
		if diff := cmp.Diff(map[string]int{"create nodes": 3, "update nodes": 3, "patch nodes": 3}, writes); diff != "" {
			t.Errorf("writes (-want +got):\n%s", diff)
		}
		server.ClearActions()
		time.Sleep(time.Hour)
		for _, action := range server.Actions() {
			if action.GetResource().Resource == "nodes" && action.GetVerb() == "patch" {
				t.Fatalf("a dual-stack node is patched: %s", action.(clienttesting.PatchAction).GetPatch())
			}
		}
	})
}

func TestGoneNodeIsDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machines{gone: map[string]bool{"n0": true}}
		server := running(t, m, &balancing{})
		join(t, server, 2)
		settle()
		nodes := server.CoreV1().Nodes()
		if _, err := nodes.Get(t.Context(), "n0", metav1.GetOptions{}); err != nil {
			t.Fatalf("a ready node: %v", err)
		}
		for _, name := range []string{"n0", "n1"} {
			n, err := nodes.Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			n.Status.Conditions[0].Status = corev1.ConditionUnknown
			if _, err := nodes.UpdateStatus(t.Context(), n, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		settle()
		if _, err := nodes.Get(t.Context(), "n0", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("gone: %v", err)
		}
		if _, err := nodes.Get(t.Context(), "n1", metav1.GetOptions{}); err != nil {
			t.Errorf("there: %v", err)
		}
	})
}

func TestServiceFromBirthToDeath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &balancing{}
		server := running(t, &machines{}, b)
		services := server.CoreV1().Services("shop")
		expect := func(why string, want ...string) {
			t.Helper()
			if diff := cmp.Diff(want, b.Take()); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", why, diff)
			}
		}
		svc := service("web")
		svc.ResourceVersion = ""
		if _, err := services.Create(t.Context(), svc, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		settle()
		expect("created", "ensure web 0")
		svc, err := services.Get(t.Context(), "web", metav1.GetOptions{})
		if err != nil || svc.Annotations["example.com/id"] != "7" || len(svc.Status.LoadBalancer.Ingress) != 1 || len(svc.Finalizers) != 1 {
			t.Fatalf("service %+v, %v", svc, err)
		}
		join(t, server, 10)
		settle()
		expect("10 nodes joined", "targets web 10")
		time.Sleep(50 * time.Minute)
		expect("drift is looked for", "ensure web 10")
		svc.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		if _, err := services.Update(t.Context(), svc, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		expect("deleted", "delete web", "delete web")
	})
}

// conflicting refuses patches that name an older version, as the API server does.
func conflicting(server *fake.Clientset) {
	version := 1
	server.PrependReactor("patch", "services", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch := action.(clienttesting.PatchAction)
		var body struct {
			Metadata struct{ ResourceVersion string }
		}
		_ = json.Unmarshal(patch.GetPatch(), &body) // a JSON patch names none
		if v := body.Metadata.ResourceVersion; v != "" && v != strconv.Itoa(version) {
			return true, nil, apierrors.NewConflict(corev1.Resource("services"), patch.GetName(), errors.New("the object has been modified"))
		}
		version++
		return false, nil, nil
	})
}

// On a Service without finalizer the controller adds one and goes on with its old copy: what we
// record then must not conflict, nor have everything read again.
func TestFinalizerAndRecordDoNotConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &balancing{}
		server := running(t, &machines{}, b)
		conflicting(server)
		svc := service("web", withAnnotation("example.com/id", "6"))
		svc.ResourceVersion = "1"
		if _, err := server.CoreV1().Services("shop").Create(t.Context(), svc, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if diff := cmp.Diff([]string{"ensure web 0"}, b.Take()); diff != "" {
			t.Errorf("asked of the cloud (-want +got):\n%s", diff)
		}
		svc, err := server.CoreV1().Services("shop").Get(t.Context(), "web", metav1.GetOptions{})
		if err != nil || svc.Annotations["example.com/id"] != "7" || len(svc.Finalizers) != 1 || len(svc.Status.LoadBalancer.Ingress) != 1 {
			t.Errorf("service %+v, %v", svc, err)
		}
	})
}

// However long the cloud takes, each state is said once: the client sends 25 events about an object
// and then hardly any.
func TestSlowCloudIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &balancing{busy: 60}
		errs := frameworktest.Logged(t)
		server := running(t, &machines{}, b)
		join(t, server, 2)
		svc := service("web")
		svc.ResourceVersion = ""
		services := server.CoreV1().Services("shop")
		if _, err := services.Create(t.Context(), svc, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		want := map[string]int{"EnsuringLoadBalancer": 1, "EnsuredLoadBalancer": 1}
		if diff := cmp.Diff(want, frameworktest.Said(t, server)); diff != "" {
			t.Errorf("creation (-want +got):\n%s", diff)
		}
		if got := len(b.Take()); got != 61 {
			t.Errorf("%d looks, want one for each wait", got)
		}
		joinLate(t, server)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		want["UpdatedLoadBalancer"] = 1
		if diff := cmp.Diff(want, frameworktest.Said(t, server)); diff != "" {
			t.Errorf("another node (-want +got):\n%s", diff)
		}
		b.Take()
		svc, err := services.Get(t.Context(), "web", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		svc.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		if _, err := services.Update(t.Context(), svc, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		for range 600 { // a real API server removes it then
			if svc, err = services.Get(t.Context(), "web", metav1.GetOptions{}); err != nil || len(svc.Finalizers) == 0 {
				break
			}
			time.Sleep(time.Second)
		}
		synctest.Wait()
		want["DeletingLoadBalancer"], want["DeletedLoadBalancer"] = 1, 1
		if diff := cmp.Diff(want, frameworktest.Said(t, server)); diff != "" {
			t.Errorf("deletion (-want +got):\n%s", diff)
		}
		if err != nil || len(svc.Finalizers) > 0 {
			t.Errorf("service %v, %v", svc, err)
		}
		if got := errs.Take(); len(got) > 0 {
			t.Errorf("logged as errors: %q", got)
		}
	})
}

func joinLate(t *testing.T, server *fake.Clientset) {
	t.Helper()
	n := node("late", "", withTaint(uninitializedTaint), withReady(corev1.ConditionTrue))
	n.ResourceVersion = ""
	if _, err := server.CoreV1().Nodes().Create(context.Background(), n, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// A Service that waits for a node is ensured as soon as one joins.
func TestServiceThatWaitsForANode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &balancing{waits: true}
		errs := frameworktest.Logged(t)
		server := running(t, &machines{}, b)
		svc := service("web")
		svc.ResourceVersion = ""
		if _, err := server.CoreV1().Services("shop").Create(t.Context(), svc, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		joinLate(t, server)
		settle()
		settle()
		svc, err := server.CoreV1().Services("shop").Get(t.Context(), "web", metav1.GetOptions{})
		if err != nil || len(svc.Status.LoadBalancer.Ingress) != 1 {
			t.Errorf("status %v, %v; asked %q", svc.Status, err, b.Take())
		}
		if got := errs.Take(); len(got) > 0 {
			t.Errorf("logged as errors: %q", got)
		}
	})
}
