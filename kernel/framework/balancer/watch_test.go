package balancer

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/frameworktest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/framework/recorder"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
)

// A look that is done says so only of a change that was under way: one that comes later for another
// reason has changed nothing for the hosts.
func TestUpdatedIsSaidOfAChange(t *testing.T) {
	for name, pending := range map[string]bool{"a change was under way": true, "another look": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc := service("web", withFinalizer)
				l := adapter(&fakeBalancers{outcome: loadbalancer.Outcome{Status: &svc.Status.LoadBalancer}}, &fakeServices{current: svc})
				events := &fakeRecorder{}
				l.watch.events = events
				l.pending.set(svc.UID, pending)
				l.watch.in(time.Minute, svc)
				time.Sleep(time.Minute)
				synctest.Wait()
				if said := slices.Contains(events.Take(), "UpdatedLoadBalancer"); said != pending {
					t.Errorf("said %t", said)
				}
			})
		})
	}
}

// changing are balancers that another client changes all the time.
type changing struct {
	fakeBalancers
	request int
}

func (c *changing) refuse() error {
	c.request++
	err := fmt.Errorf("409: load balancer is immutable (Request ID: %d)", c.request)
	return &loadbalancer.Pending{After: 3 * time.Second, Reason: "the balancer is being changed by another request", Err: err}
}

func (c *changing) Ensure(context.Context, *corev1.Service, []*corev1.Node) (loadbalancer.Outcome, error) {
	return loadbalancer.Outcome{}, c.refuse()
}

func (c *changing) UpdateTargets(context.Context, *corev1.Service, []*corev1.Node) error {
	return c.refuse()
}

// Of a change of nodes that is refused for hours the Service's user learns, and not with each look.
func TestLastingConflictIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc, server, b := service("web", withFinalizer), fake.NewClientset(), &changing{}
		services := &fakeServices{current: svc}
		l := adapter(&b.fakeBalancers, services)
		l.Manager = b
		events := recorder.New()
		events.Start(server.CoreV1())
		defer events.Broadcaster.Shutdown()
		l.watch.events = events
		if err := l.UpdateLoadBalancer(t.Context(), "", svc, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2*time.Hour - time.Second)
		services.gone.Store(true) // it ends
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := frameworktest.Said(t, server); got["CloudFailure"] != 4 || b.request < 1000 {
			t.Errorf("events %v after %d refusals, want CloudFailure every half hour", got, b.request)
		}
		list, err := server.CoreV1().Events("").List(t.Context(), metav1.ListOptions{})
		if err != nil || len(list.Items) != 1 {
			t.Errorf("%d events, want one that is counted: %v", len(list.Items), err)
		}
	})
}

// What a replacement is about is written where the Service's user cannot write.
func TestReplacementIsRecordedInTheStatus(t *testing.T) {
	svc := service("web", withFinalizer)
	server := fake.NewClientset(svc)
	a := &annotator{client: server.CoreV1(), before: func(*corev1.Service, map[string]string) {}}
	text := `{"request":"r","of":"lb-1","was":{"scope":"external"}}`
	for _, refused := range []string{text, text[:len(text)-1] + `,"refused":"no"}`} {
		if err := a.write(context.Background(), svc, map[string]string{annotation.Replacement.Name: refused}); err != nil {
			t.Fatal(err)
		}
		svc, _ = server.CoreV1().Services("shop").Get(t.Context(), "web", metav1.GetOptions{})
		if c := svc.Status.Conditions; len(c) != 1 || c[0].Message != text || svc.Annotations[annotation.Replacement.Name] != refused {
			t.Fatalf("conditions %+v, annotations %v", c, svc.Annotations)
		}
	}
	var writes []string
	for _, action := range server.Actions() {
		if action.GetVerb() == "patch" {
			writes = append(writes, action.GetSubresource())
		}
	}
	if !slices.Equal(writes, []string{"status", "", ""}) {
		t.Errorf("writes %q, want the status first and once", writes)
	}
}

// The condition ends before the annotation goes, so that the old text does not count again. An
// annotation that is there already gets its condition all the same.
func TestReplacementEndsInTheStatus(t *testing.T) {
	text := `{"request":"r","of":"lb-1"}`
	svc := service("web", withFinalizer)
	server := fake.NewClientset(svc)
	a := &annotator{client: server.CoreV1(), before: func(*corev1.Service, map[string]string) {}}
	write := func(value string, want metav1.ConditionStatus) {
		t.Helper()
		if err := a.write(t.Context(), svc, map[string]string{annotation.Replacement.Name: value}); err != nil {
			t.Fatal(err)
		}
		svc, _ = server.CoreV1().Services("shop").Get(t.Context(), "web", metav1.GetOptions{})
		if c := svc.Status.Conditions; len(c) != 1 || c[0].Status != want || svc.Annotations[annotation.Replacement.Name] != value {
			t.Fatalf("conditions %+v, annotations %v", c, svc.Annotations)
		}
	}
	write(text, metav1.ConditionTrue)
	server.ClearActions()
	write("", metav1.ConditionFalse)
	if first := server.Actions()[0]; first.GetSubresource() != "status" {
		t.Errorf("first action %v, want the status", first)
	}
	svc.Annotations = map[string]string{annotation.Replacement.Name: text} // its user puts it back
	svc, _ = server.CoreV1().Services("shop").Update(t.Context(), svc, metav1.UpdateOptions{})
	write(text, metav1.ConditionTrue)
}

// countedNodes tell the number of Nodes of each ensure.
type countedNodes struct {
	fakeBalancers
	log
}

func (c *countedNodes) Ensure(_ context.Context, _ *corev1.Service, nodes []*corev1.Node) (loadbalancer.Outcome, error) {
	c.Add(fmt.Sprint(len(nodes)))
	return c.outcome, nil
}

// What a look has found is told although a Node has joined since, and the Node becomes a target at the next look. Of a Service that has
// an address nothing is told so: it is ensured with the new Node.
func TestAddressIsToldThoughNodesJoined(t *testing.T) {
	for name, told := range map[string]bool{"no address so far": true, "an address": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				status := &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}}
				m := &countedNodes{fakeBalancers: fakeBalancers{outcome: loadbalancer.Outcome{Status: status}}}
				svc := service("web", withFinalizer)
				if !told {
					svc.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.9"}}
				}
				a := adapter(m, &fakeServices{current: svc})
				nodes := []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "a"}}}
				a.watch.nodes = func() []*corev1.Node { return nodes }
				a.watch.in(time.Second, svc)
				time.Sleep(time.Second)
				synctest.Wait()
				nodes = append(nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "b"}})
				if got, err := a.EnsureLoadBalancer(t.Context(), "", svc, nodes); err != nil || got.Ingress[0].IP != "192.0.2.1" {
					t.Errorf("status %+v, %v", got, err)
				}
				want := []string{"1"}
				if !told {
					want = append(want, "2")
				}
				if got := m.Take(); !slices.Equal(got, want) {
					t.Errorf("ensured with %q Nodes, want %q", got, want)
				}
				time.Sleep(soon)
				synctest.Wait()
				if got := m.Take(); told != slices.Equal(got, []string{"2"}) {
					t.Errorf("then ensured with %q Nodes", got)
				}
			})
		})
	}
}

// The controller takes the result of a look also where the Service has got a record meanwhile that its balancer is about to be made, and
// no other where it asks for something else.
func TestResultAfterTheRecordOfACreation(t *testing.T) {
	for name, c := range map[string]struct {
		written map[string]string
		want    int // ensures
	}{
		"a record":        {creation.Record{At: time.Now()}.Annotation(), 1},
		"another request": {map[string]string{annotation.Name.Name: "shop-front"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &countedNodes{fakeBalancers: fakeBalancers{outcome: loadbalancer.Outcome{Status: &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}}}}}
				svc := service("web", withFinalizer)
				a := adapter(m, &fakeServices{current: svc})
				a.watch.in(time.Second, svc)
				time.Sleep(time.Second)
				synctest.Wait()
				written := service("web", withFinalizer)
				written.Annotations = c.written
				if got, err := a.EnsureLoadBalancer(t.Context(), "", written, nil); err != nil || len(got.Ingress) != 1 {
					t.Errorf("status %+v, %v", got, err)
				}
				if ensured := m.Take(); len(ensured) != c.want {
					t.Errorf("ensured %d times, want %d", len(ensured), c.want)
				}
			})
		})
	}
}

// held are balancers whose ensures wait until they are let go.
type held struct {
	fakeBalancers
	log
	free chan struct{}
}

func (h *held) Ensure(_ context.Context, svc *corev1.Service, _ []*corev1.Node) (loadbalancer.Outcome, error) {
	h.Add("begins")
	<-h.free
	return loadbalancer.Outcome{Status: &svc.Status.LoadBalancer}, nil
}

// However often a Service is changed while it is looked at, one more look follows.
func TestOneLookAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		svc := service("web", withFinalizer)
		m := &held{free: make(chan struct{})}
		a := adapter(m, &fakeServices{current: svc})
		for range 20 {
			a.watch.in(0, svc)
			synctest.Wait()
			time.Sleep(time.Second)
		}
		if begun := m.Take(); len(begun) != 1 {
			t.Errorf("%d looks at once", len(begun))
		}
		close(m.free)
		time.Sleep(soon)
		synctest.Wait()
		if begun := m.Take(); len(begun) != 1 {
			t.Errorf("%d looks afterwards, want one", len(begun))
		}
	})
}

// A Service that gave its load balancer up before a look gets none by it, since nothing would delete that again: the controller adds its
// finalizer first.
func TestLooksMakeNothingWithoutTheFinalizer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, services := &countedNodes{}, &fakeServices{current: service("web")}
		adapter(m, services).watch.look(service("web", withFinalizer))
		if queued := services.Take(); len(queued) > 0 {
			t.Errorf("queued %v at once, want a pause until the finalizer can be seen", queued)
		}
		time.Sleep(2 * soon) // the cache may be behind
		synctest.Wait()
		if ensured, queued := m.Take(), services.Take(); len(ensured) > 0 || !slices.Equal(queued, []string{"queue web"}) {
			t.Errorf("ensured %v, queued %v; want it left to the controller", ensured, queued)
		}
	})
}

// A Service whose finalizer the cache does not show yet is looked at again, and the controller, which has begun already, is not asked.
func TestLooksWaitForTheCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, services := &countedNodes{}, &fakeServices{current: service("web")}
		adapter(m, services).watch.look(service("web", withFinalizer))
		services.next.Store(service("web", withFinalizer))
		time.Sleep(soon - time.Millisecond)
		if ensured := m.Take(); len(ensured) > 0 {
			t.Errorf("ensured %v at once", ensured)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if ensured, queued := m.Take(), services.Take(); len(ensured) != 1 || len(queued) != 1 {
			t.Errorf("ensured %v, queued %v; want one look, and the controller asked to take its result", ensured, queued)
		}
	})
}

// That the controller begins is said once of a change whose result is there, and of any other.
func TestBeginningIsSaidOnce(t *testing.T) {
	for name, c := range map[string]struct {
		then  func(*Adapter, *corev1.Service)
		quiet bool
	}{
		"for the result":             {func(*Adapter, *corev1.Service) {}, true},
		"it was deleted since":       {func(a *Adapter, svc *corev1.Service) { _ = a.EnsureLoadBalancerDeleted(t.Context(), "", svc) }, false},
		"the controller comes later": {func(*Adapter, *corev1.Service) { time.Sleep(resultAge + time.Second) }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &countedNodes{fakeBalancers: fakeBalancers{outcome: loadbalancer.Outcome{Status: &corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}}}}}
			svc := service("web", withFinalizer)
			a := adapter(m, &fakeServices{current: svc})
			a.pending.set(svc.UID, true)
			a.watch.look(svc)
			c.then(a, svc)
			begins := &corev1.Event{Reason: "EnsuringLoadBalancer", InvolvedObject: corev1.ObjectReference{UID: svc.UID}}
			if got := []bool{a.Quiet(begins), a.Quiet(begins)}; !slices.Equal(got, []bool{c.quiet, false}) {
				t.Errorf("%s: kept from being said %v, want %t once", name, got, c.quiet)
			}
		})
	}
}
