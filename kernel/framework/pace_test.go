package framework

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/cloud-provider/names"
	controllersmetrics "k8s.io/component-base/metrics/prometheus/controllers"
	controllermanagerapp "k8s.io/controller-manager/app"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/client"
)

// roads is a driver with six machines that makes routes.
type roads struct {
	routed
	mu    sync.Mutex
	made  []cloud.Route
	lists []time.Time
}

func (r *roads) Instances() cloud.Instances { return &hosts{} }

func (r *roads) ListRoutes(context.Context, cloud.Owner) ([]cloud.Route, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lists = append(r.lists, time.Now())
	return slices.Clone(r.made), nil
}

func (r *roads) CreateRoute(_ context.Context, _ cloud.Owner, route cloud.Route) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	route.Name = route.Destination.String()
	r.made = append(r.made, route)
	return nil
}

// counts returns how many routes were made, and how many passes began.
func (r *roads) counts() (made, passes int) {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.made), len(r.lists)
}

// routing starts upstream's route controller.
func routingOn(t *testing.T, driver cloud.Account) *fake.Clientset {
	t.Helper()
	server := fake.NewClientset()
	completed := completedConfig(t, server)
	completed.ComponentConfig.KubeCloudShared.ClusterCIDR = "10.0.0.0/16"
	c, err := New(open(t, driver), completed, nil)
	if err != nil {
		t.Fatal(err)
	}
	builder := &testBuilder{Builder: *completed.ClientBuilder.(*client.Builder), server: server}
	completed.ClientBuilder = builder
	c.Initialize(builder, nil)
	constructor := Controllers()[names.NodeRouteController]
	start := constructor.Constructor(constructor.InitContext, completed, c)
	if _, started, err := start(t.Context(), controllermanagerapp.ControllerContext{
		ControllerManagerMetrics: controllersmetrics.NewControllerManagerMetrics("test"),
	}); err != nil || !started {
		t.Fatalf("starting: %v, %v", started, err)
	}
	startInformers(t, c, completed)
	return server
}

func newNode(t *testing.T, server *fake.Clientset, n int, change ...func(*corev1.Node)) *corev1.Node {
	t.Helper()
	id := strconv.Itoa(n)
	joining := node(id, "", append([]func(*corev1.Node){withTaint(uninitializedTaint)}, change...)...)
	joining.ResourceVersion, joining.Spec.PodCIDRs = "", []string{"10.0." + id + ".0/24"}
	made, err := server.CoreV1().Nodes().Create(t.Context(), joining, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// initialised does what the node controller does.
func initialise(t *testing.T, server *fake.Clientset, node *corev1.Node) {
	t.Helper()
	node = node.DeepCopy()
	node.Spec.ProviderID, node.Spec.Taints = "stub://"+node.Name, nil
	if _, err := server.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// Passes come before the initialisation of a Node: nothing warns of that, and its route is made as soon as it has its provider-ID.
func TestRouteOfJoiningNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		driver := &roads{}
		server := routingOn(t, driver)
		time.Sleep(time.Second)
		joining := newNode(t, server, 1)
		time.Sleep(19500 * time.Millisecond)
		if made, passes := driver.counts(); made != 0 || passes != 3 {
			t.Errorf("%d routes, %d passes; want 0 and 3", made, passes)
		}
		initialise(t, server, joining)
		time.Sleep(leastPause)
		if made, _ := driver.counts(); made != 1 {
			t.Errorf("%d routes as soon as the Node has its provider-ID, want 1", made)
		}
		events, err := server.CoreV1().Events("").List(t.Context(), metav1.ListOptions{})
		if err != nil || len(events.Items) > 0 {
			t.Errorf("%v: events %v", err, events.Items)
		}
		reached, err := server.CoreV1().Nodes().Get(t.Context(), "1", metav1.GetOptions{})
		if err != nil || len(reached.Status.Conditions) != 1 || reached.Status.Conditions[0].Reason != "RouteCreated" {
			t.Errorf("%v: conditions %v", err, reached.Status.Conditions)
		}
	})
}

// Nodes that join together share passes, and a Node that gets its pod network late has its turn at once, too.
func TestJoiningNodesShareAPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		driver := &roads{}
		server := routingOn(t, driver)
		time.Sleep(2 * time.Second)
		_, before := driver.counts()
		for n := range 4 {
			initialise(t, server, newNode(t, server, n))
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if made, passes := driver.counts(); made != 4 || passes-before != 2 {
			t.Errorf("%d routes in %d passes, want 4 in 2", made, passes-before)
		}
		late := newNode(t, server, 4)
		late.Spec.PodCIDRs, late.Spec.ProviderID, late.Spec.Taints = nil, "stub://4", nil
		late, err := server.CoreV1().Nodes().Update(t.Context(), late, metav1.UpdateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		late = late.DeepCopy()
		late.Spec.PodCIDRs = []string{"10.0.4.0/24"}
		if _, err := server.CoreV1().Nodes().Update(t.Context(), late, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		if made, _ := driver.counts(); made != 5 {
			t.Errorf("%d routes, want 5", made)
		}
		_, before = driver.counts()
		time.Sleep(time.Minute)
		if _, passes := driver.counts(); passes-before != 6 {
			t.Errorf("%d passes in a minute in which nothing happens, want 6", passes-before)
		}
	})
}

// Each pass is a request. While Nodes keep coming the pauses between passes grow up to the period; the first Node after a quiet
// time has its turn at once again.
func TestPausesGrowWhileNodesJoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, passed := newPace(10*time.Second), make(chan time.Time, 1000)
		go func() {
			for p.wait(t.Context()) == nil {
				passed <- time.Now()
			}
		}()
		var begun []time.Time
		look := func() int {
			synctest.Wait()
			for len(passed) > 0 {
				begun = append(begun, <-passed)
			}
			return len(begun)
		}
		// passes returns how many begin in a time at whose beginning a Node joins, or none does.
		passes := func(d time.Duration, joins bool) int {
			before := look()
			if joins {
				p.soon()
			}
			time.Sleep(d)
			return look() - before
		}
		time.Sleep(2500 * time.Millisecond)
		first := look()
		for range 225 {
			passes(time.Second, true)
		}
		var pauses []float64
		for n := first + 1; n < len(begun); n++ {
			pauses = append(pauses, begun[n].Sub(begun[n-1]).Seconds())
		}
		if want := []float64{1, 2, 4, 8, 10, 10}; len(pauses) > 28 || !slices.Equal(pauses[:len(want)], want) {
			t.Errorf("in 225 s in which Nodes join the pauses are %v s, want %v at first, and 28 at most", pauses, want)
		}
		passes(10*time.Second, false)
		if n := passes(time.Minute, false); n != 6 {
			t.Errorf("%d passes in a minute without a new Node, want 6", n)
		}
		time.Sleep(2 * time.Second)
		for _, pause := range []time.Duration{10 * time.Millisecond, time.Second, 2 * time.Second} {
			if n := passes(pause, true); n != 1 {
				t.Errorf("%d passes within %v of a Node that joins after a quiet time, want 1", n, pause)
			}
		}
	})
}
