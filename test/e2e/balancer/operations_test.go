package balancer_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// operator opens a site on a cloud whose changes go on after their answer.
func operator(t *testing.T, machines int, takes time.Duration) (*site, testcloud.Operator) {
	t.Helper()
	s := open(t, machines)
	cloud, ok := s.Cloud.(testcloud.Operator)
	if !ok {
		t.Skipf("the changes of %s have ended when it answers", s.Cloud.Title())
	}
	cloud.SetOperations(takes)
	return s, cloud
}

// TestOperations: the operations of all Services are asked for together, and a Service has its address
// soon after its operation has ended.
func TestOperations(t *testing.T) {
	const services, takes, round = 50, 3 * time.Second, 500 * time.Millisecond
	s, cloud := operator(t, 2, takes)
	s.start()
	for n := range services {
		s.service(fmt.Sprintf("web-%d", n), 80)
	}
	s.eventually(func() error {
		all, err := s.Client().CoreV1().Services(namespace).List(s.within(patience), metav1.ListOptions{})
		s.must(err)
		served := 0
		for _, svc := range all.Items {
			served += len(svc.Status.LoadBalancer.Ingress)
		}
		if served < services {
			return fmt.Errorf("%d of %d Services have an address", served, services)
		}
		return nil
	})
	served := time.Now()
	route, each := cloud.States()
	var polls []time.Time
	var last time.Time
	for _, r := range s.Cloud.Requests() {
		switch {
		case r.Route == route:
			query, err := url.Parse(r.Path)
			s.must(err)
			if n := len(query.Query()["id"]); n == 0 || n > each {
				t.Errorf("a request for %d operations, want 1 to %d", n, each)
			}
			polls = append(polls, r.Start)
		case r.Method == "POST":
			last = r.Start.Add(r.Took)
		}
	}
	for n := 2; n < len(polls); n++ {
		if within := polls[n].Sub(polls[n-2]); within < round {
			t.Errorf("three requests for states within %v, want two in %v at the most", within, round)
		}
	}
	if len(polls) < 2 {
		t.Errorf("%d requests for states: the operations did not go on", len(polls))
	}
	t.Logf("%d Services: %d requests for states; the last address came %v after the end of the last operation", services, len(polls), served.Sub(last.Add(takes)))
}

// TestLateFailure: what fails after the answer is the failure of the change. It is said once, and made
// again once.
func TestLateFailure(t *testing.T) {
	s, cloud := operator(t, 2, time.Second)
	s.must(cloud.FailLate())
	s.start()
	s.service("web", 80)
	s.event("web", "SyncLoadBalancerFailed")
	s.addressed("web")
	s.are("tcp/80")
	events, err := s.Client().CoreV1().Events(namespace).List(s.within(patience), metav1.ListOptions{})
	s.must(err)
	said := 0
	for _, e := range events.Items {
		if strings.Contains(e.Message, "it failed afterwards; a quota of the account is used up") {
			said += max(int(e.Count), 1)
		}
	}
	if said != 1 {
		t.Errorf("the failure is said %d times, want once: %+v", said, events.Items)
	}
	creations := 0
	for _, r := range s.Cloud.Requests() {
		if r.Method == "POST" {
			creations++
		}
	}
	if creations != 2 {
		t.Errorf("%d creations, want the one that failed and another", creations)
	}
}

// TestOperationsOverlap: a change that comes while another one goes on is made after it, and a deletion
// too.
func TestOperationsOverlap(t *testing.T) {
	s, _ := operator(t, 2, time.Second)
	s.start()
	s.service("web", 80)
	s.eventually(func() error {
		if len(s.balancers()) == 0 {
			return errors.New("nothing is being made")
		}
		return nil
	})
	s.edit("web", func(svc *corev1.Service) { svc.Spec.Ports[0].Port = 8080 })
	s.addressed("web")
	s.are("tcp/8080")
	for _, r := range s.Cloud.Requests() {
		if r.Status == 409 {
			t.Errorf("%s %s was asked for while another change went on", r.Method, r.Path)
		}
	}
	s.begin("web")
	s.gone("web")
	if left := s.balancers(); len(left) > 0 {
		t.Errorf("%+v are left", left)
	}
}

// TestCrashWithOperations is TestCrash where changes go on after their answer.
func TestCrashWithOperations(t *testing.T) {
	s, _ := operator(t, 2, 300*time.Millisecond)
	s.crash()
}
