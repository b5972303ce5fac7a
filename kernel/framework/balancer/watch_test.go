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
)

// A look that is done says so only of a change that was under way: one that comes later for another
// reason has changed nothing for the hosts.
func TestUpdatedIsSaidOfAChange(t *testing.T) {
	for name, pending := range map[string]bool{"a change was under way": true, "another look": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				svc := service("web")
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
		svc, server, b := service("web"), fake.NewClientset(), &changing{}
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
	svc := service("web")
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
	svc := service("web")
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
