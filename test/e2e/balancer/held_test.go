package balancer_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// foreignFinalizer is that of a program which has something to do before a Service goes.
const foreignFinalizer = "example.com/backup"

// ofServer is a loop of the API server. It warns of a Service that it meets before its own allocator knows the cluster IP.
const ofServer = "ipallocator-repair-controller"

// TestForeignFinalizer: a Service that is deleted, and that another program's finalizer keeps, is left alone once its load balancer is
// gone: nothing is made or said, whatever happens to Nodes, to the Service and to the CCM.
func TestForeignFinalizer(t *testing.T) {
	s := open(t, 2)
	p := s.start()
	s.service("other", 25)
	s.addressed("other")
	s.held("web")
	s.begin("web")
	s.released("web")
	said := s.said("web")
	if said["DeletedLoadBalancer"] != 1 || said["Warning"] > 0 {
		t.Errorf("after the deletion these events are there: %v", said)
	}

	s.join(1)
	s.are("tcp/25")
	s.edit("web", func(svc *corev1.Service) {
		svc.Spec.Ports[0].Port, svc.Annotations = 81, map[string]string{"team": "shop"}
	})
	s.processed("first")
	s.must(p.Stop(s.within(patience)))
	next := s.start()
	s.join(1)
	s.are("tcp/25", "tcp/80")
	s.edit("web", func(svc *corev1.Service) { svc.Spec.Ports[0].Port = 82 })
	s.processed("second")
	if diff := gocmp.Diff(said, s.said("web")); diff != "" {
		t.Errorf("events of a Service that is kept by another (-when it was done +later):\n%s", diff)
	}
	for _, log := range []string{p.Log(), next.Log()} {
		if strings.Contains(log, "finalizers can be added") {
			t.Error("a CCM tried to put its finalizer on a Service that is being deleted")
		}
	}
	s.edit("web", func(svc *corev1.Service) { svc.Finalizers = nil })
	s.gone("web")
}

// TestNodeJoinsWhileDeleted: what a Node changes of a load balancer that is being deleted is not done, and not said.
func TestNodeJoinsWhileDeleted(t *testing.T) {
	s, cloud := operator(t, 2, 0)
	s.start()
	s.held("web")
	s.service("other", 25)
	s.addressed("other")
	cloud.SetOperations(3 * time.Second)
	s.begin("web")
	s.event("web", "DeletingLoadBalancer")
	s.join(1)
	s.released("web")
	s.are("tcp/25")
	s.processed("later")
	if said := s.said("web"); said["UpdatedLoadBalancer"] > 0 || said["Warning"] > 0 {
		t.Errorf("of a load balancer that is being deleted these events are said: %v", said)
	}
}

// held makes a Service with another program's finalizer, and waits for its address.
func (s *site) held(name string) {
	s.t.Helper()
	s.create(&corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: []string{foreignFinalizer}},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}},
	})
	s.addressed(name)
}

// released waits until nothing of ours is on a Service any more.
func (s *site) released(name string) {
	s.t.Helper()
	_, err := s.WaitService(s.within(patience), namespace, name, func(svc *corev1.Service) error {
		switch {
		case svc == nil:
			s.t.Fatalf("%s is gone, although it has the finalizer %s", name, foreignFinalizer)
		case !slices.Equal(svc.Finalizers, []string{foreignFinalizer}) || len(svc.Status.LoadBalancer.Ingress) > 0:
			return fmt.Errorf("it has the finalizers %v and the addresses %v", svc.Finalizers, svc.Status.LoadBalancer.Ingress)
		}
		return nil
	})
	s.must(err)
	s.event(name, "DeletedLoadBalancer")
}

// processed waits until a Service that is made now has been served: what happened before was looked at before.
func (s *site) processed(name string) {
	s.t.Helper()
	s.service(name, 80)
	s.addressed(name)
}

// said counts a controller manager's events of a Service by reason, and under Warning those that are warnings.
func (s *site) said(name string) map[string]int {
	s.t.Helper()
	events, err := s.Client().CoreV1().Events(namespace).List(s.within(patience), metav1.ListOptions{FieldSelector: "involvedObject.name=" + name})
	s.must(err)
	counts := map[string]int{}
	for _, e := range events.Items {
		if cmp.Or(e.ReportingController, e.Source.Component) == ofServer {
			continue
		}
		counts[e.Reason] += int(max(e.Count, 1))
		if e.Type == corev1.EventTypeWarning {
			counts[e.Type]++
		}
	}
	return counts
}
