package balancer_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

// TestLife: a Service gets a load balancer with its ports and all nodes, keeps its address through
// every change, and leaves nothing behind. Nothing of that is an error in the log, or a warning to users.
func TestLife(t *testing.T) {
	s := open(t, 3)
	p := s.start()
	s.service("web", 80, 443)
	address := s.addressed("web")
	first := s.are("tcp/443 tcp/80")[0]
	if !slices.Contains(first.Addresses, address) {
		t.Errorf("the Service has the address %s, the load balancer %v", address, first.Addresses)
	}

	s.edit("web", func(svc *corev1.Service) { svc.Spec.Ports[1].Port = 8443 })
	s.are("tcp/80 tcp/8443")
	s.join(1)
	s.are("tcp/80 tcp/8443")

	lost := s.machines[0]
	s.machines = s.machines[1:]
	s.must(s.Client().CoreV1().Nodes().Delete(s.within(patience), lost.Name, metav1.DeleteOptions{}))
	if after := s.are("tcp/80 tcp/8443")[0]; after.ID != first.ID || s.addressed("web") != address {
		t.Errorf("the load balancer is %s at %s and was %s at %s", after.ID, s.addressed("web"), first.ID, address)
	}

	s.service("other", 25)
	s.addressed("other")
	s.are("tcp/25", "tcp/80 tcp/8443")
	s.begin("web")
	s.gone("web")
	s.are("tcp/25")
	s.begin("other")
	s.gone("other")
	if left := s.balancers(); len(left) > 0 {
		t.Errorf("%+v are left", left)
	}
	for line := range strings.Lines(p.Log()) {
		if strings.Contains(line, "error processing service") {
			t.Errorf("the log says: %s", line)
		}
	}
	events, err := s.Client().CoreV1().Events(namespace).List(s.within(patience), metav1.ListOptions{FieldSelector: "type=Warning"})
	s.must(err)
	for _, e := range events.Items {
		t.Errorf("%s: %s", e.Reason, e.Message)
	}
}

// TestAddressFamily: no load balancer is made whose nodes would not answer. OpenStack could make one of IPv6, and waits for nodes that
// have an IPv6 address.
func TestAddressFamily(t *testing.T) {
	s := open(t, 1)
	s.start()
	s.create(&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "six"}, Spec: corev1.ServiceSpec{
		Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}, IPFamilies: []corev1.IPFamily{corev1.IPv6Protocol},
	}})
	reason := "InvalidConfiguration"
	if cloudName == "openstack" {
		reason = "WaitingForNodes"
	}
	s.event("six", reason)
	s.service("four", 80)
	s.addressed("four")
	s.are("tcp/80")
	s.begin("six")
	s.gone("six")
}

// TestSecondEnsure: another process finds everything in order, and changes nothing.
func TestSecondEnsure(t *testing.T) {
	s := open(t, 2)
	p := s.start()
	for _, name := range []string{"one", "two"} {
		s.service(name, 80)
		s.addressed(name)
	}
	s.are("tcp/80", "tcp/80")
	s.must(p.Stop(s.within(patience)))
	before := s.ensured()
	s.Cloud.ResetTraffic()
	s.start()
	s.eventually(func() error {
		if n := s.ensured(); n < before+2 {
			return fmt.Errorf("%d of 2 Services were ensured again", n-before)
		}
		return nil
	})
	for _, r := range s.Cloud.Requests() {
		if traffic.Mutating(r.Method) && r.Route != s.Cloud.Facts().Login {
			t.Errorf("nothing changed, and this was written: %s %s", r.Method, r.Path)
		}
	}
}

// ensured counts how often it was said that a Service is in order.
func (s *site) ensured() int {
	s.t.Helper()
	events, err := s.Client().CoreV1().Events(namespace).List(s.within(patience), metav1.ListOptions{FieldSelector: "reason=EnsuredLoadBalancer"})
	s.must(err)
	n := 0
	for _, e := range events.Items {
		n += int(max(e.Count, 1))
	}
	return n
}

// TestTrouble: while the cloud answers nonsense, nothing is lost and somebody is told; afterwards all
// is done once.
func TestTrouble(t *testing.T) {
	beginning := 20
	for name, f := range map[string]fault.Fault{
		"500s": {Status: http.StatusInternalServerError}, "truncated bodies": {Truncate: &beginning}, "hung writes": {Mutating: true, Hang: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, 2)
			s.start()
			s.service("web", 80)
			address := s.addressed("web")
			first := s.are("tcp/80")[0]
			s.Cloud.AddFault(f)
			s.service("new", 25)
			s.event("new", "SyncLoadBalancerFailed")
			s.Cloud.Disarm()
			s.Cloud.ClearFaults()
			s.addressed("new")
			s.are("tcp/25", "tcp/80")
			if now := s.addressed("web"); now != address || !slices.ContainsFunc(s.balancers(), func(b testcloud.Balancer) bool { return b.ID == first.ID }) {
				t.Errorf("the address was %s and is %s", address, now)
			}
			s.begin("web")
			s.begin("new")
			s.gone("web")
			s.gone("new")
			if left := s.balancers(); len(left) > 0 {
				t.Errorf("%+v are left", left)
			}
		})
	}
}

// TestCrash kills the CCM before and after each request that changes the cloud, while it makes a load
// balancer and while it deletes it: the next one ends what was begun, once.
func TestCrash(t *testing.T) {
	s := open(t, 2)
	testcloud.Need(t, s.Cloud.Facts(), testcloud.Prompt)
	s.crash()
}

// crash kills the CCM before and after each request that changes the cloud.
func (s *site) crash() {
	t := s.t
	s.plain = true
	for _, phase := range []halt.Phase{halt.Before, halt.After} {
		for n := 1; ; n++ {
			svc := fmt.Sprintf("%s-%d", phase, n)
			killed := s.killed(n, phase, func() { s.service(svc, 80) }, func() { s.addressed(svc) })
			s.are("tcp/80")
			killed = s.killed(n, phase, func() { s.begin(svc) }, func() { s.gone(svc) }) || killed
			if left := s.balancers(); len(left) > 0 {
				t.Fatalf("killed %s request %d, %+v are left", phase, n, left)
			}
			if !killed {
				t.Logf("killed %s each of %d requests", phase, n-1)
				break
			}
		}
	}
}

// killed has a CCM killed at its n-th change of the cloud while it does something, and the next one
// finish it. It reports whether there were so many changes.
func (s *site) killed(n int, phase halt.Phase, do, wait func()) bool {
	s.t.Helper()
	p := s.start()
	dead := make(chan struct{})
	s.Cloud.HaltAt(halt.Trigger{N: n, Mutating: true, Phase: phase, Action: halt.Drop, Freeze: true, Fired: func(halt.Event) {
		p.Kill()
		close(dead)
	}})
	do()
	done := make(chan struct{})
	go func() { wait(); close(done) }()
	select {
	case <-dead:
	case <-done:
		s.Cloud.Disarm()
		s.must(p.Stop(s.within(patience)))
		return false
	}
	s.Cloud.Disarm()
	next := s.start()
	<-done
	s.must(next.Stop(s.within(patience)))
	return true
}
