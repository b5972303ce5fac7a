package digitalocean_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	do "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
)

const (
	library    = "service.kubernetes.io/load-balancer-cleanup"
	otherClass = "example.com/other"
	// otherFinalizer is one that nobody else uses.
	otherFinalizer = "example.com/cleanup"
	otherAddress   = "198.51.100.7"
)

func (s *service) become(kind corev1.ServiceType, class *string) {
	s.t.Helper()
	s.edit(func(svc *corev1.Service) { svc.Spec.Type, svc.Spec.LoadBalancerClass = kind, class })
}

// handOver gives the Service another controller in two steps: its class cannot be set in one.
func (s *service) handOver() {
	s.t.Helper()
	s.become(corev1.ServiceTypeClusterIP, nil)
	s.become(corev1.ServiceTypeLoadBalancer, new(otherClass))
}

// serveElsewhere is what the other controller does.
func (s *service) serveElsewhere(finalizers ...string) {
	s.t.Helper()
	s.edit(func(svc *corev1.Service) {
		for _, f := range finalizers {
			if !slices.Contains(svc.Finalizers, f) {
				svc.Finalizers = append(svc.Finalizers, f)
			}
		}
	})
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		svc := s.get()
		svc.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: otherAddress}}
		_, err := env.Client().CoreV1().Services(namespace).UpdateStatus(within(s.t), svc, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// left waits until nothing of ours is left, and of the other controller's what is given.
func (s *service) left(address string, finalizers ...string) {
	s.t.Helper()
	s.noBalancer()
	s.await(func(svc *corev1.Service) error {
		if !slices.Equal(svc.Finalizers, finalizers) {
			return fmt.Errorf("it has the finalizers %q, want %q", svc.Finalizers, finalizers)
		}
		return nil
	})
	got := ""
	for _, i := range s.get().Status.LoadBalancer.Ingress {
		got += i.IP
	}
	if got != address {
		s.t.Errorf("%s is reached at %q, want %q", s.name, got, address)
	}
}

func (s *service) noBalancer() {
	s.t.Helper()
	if err := env.Cloud.Await(within(s.t), func(state do.State) bool { return len(s.balancersIn(state)) == 0 }); err != nil {
		s.t.Fatalf("waiting for the balancer of %s to go: %v; the last requests:\n%s", s.name, err, asked(env.Cloud.Counters().Total-40))
	}
}

// release removes the finalizers that only another controller would.
func (s *service) release() {
	s.t.Helper()
	s.edit(func(svc *corev1.Service) { svc.Finalizers = nil })
}

// TestHandedOver: what we made for a Service that another controller serves by now is deleted, and our finalizer goes.
// Nothing else of it is touched.
func TestHandedOver(t *testing.T) {
	start(t, nil)
	t.Run("at once", func(t *testing.T) {
		s := create(t, nil)
		s.ready()
		s.handOver()
		s.serveElsewhere(otherFinalizer)
		s.left(otherAddress, otherFinalizer)
		s.release()
	})
	t.Run("and back", func(t *testing.T) {
		s := create(t, nil)
		s.ready()
		s.handOver()
		s.left("")
		s.become(corev1.ServiceTypeClusterIP, nil)
		s.become(corev1.ServiceTypeLoadBalancer, nil)
		s.ready()
	})
	t.Run("while its deletion fails", func(t *testing.T) {
		s := create(t, nil)
		_, b := s.ready()
		broken := env.Cloud.AddFault(fault.Fault{Method: http.MethodDelete, Path: allBalancers + "/" + b.ID, Status: 500})
		s.become(corev1.ServiceTypeClusterIP, nil)
		s.event("DeletingLoadBalancer")
		s.become(corev1.ServiceTypeLoadBalancer, new(otherClass))
		time.Sleep(time.Second)
		if svc := s.get(); !slices.Contains(svc.Finalizers, library) {
			t.Errorf("finalizers %q while the balancer is there", svc.Finalizers)
		}
		env.Cloud.RemoveFault(broken)
		s.left("")
	})
	t.Run("another controller's from the beginning", func(t *testing.T) {
		s := create(t, nil, func(svc *corev1.Service) { svc.Spec.LoadBalancerClass = new(otherClass) })
		s.serveElsewhere(library)
		before := s.get()
		later := create(t, nil)
		later.ready() // had the other one been ours, it would have been looked at before
		s.become(corev1.ServiceTypeClusterIP, nil)
		later.remove()
		if after := s.get(); !slices.Equal(after.Finalizers, before.Finalizers) {
			t.Errorf("the other controller's finalizers %q are now %q", before.Finalizers, after.Finalizers)
		}
		s.release()
	})
}

// TestHandedOverUnseen is TestHandedOver without a CCM in between.
func TestHandedOverUnseen(t *testing.T) {
	r := start(t, nil)
	served := create(t, nil)
	served.ready()
	leaving := create(t, nil)
	_, b := leaving.ready()
	deleted := create(t, nil)
	deleted.ready()
	refused := create(t, map[string]string{upstream + "protocol": "carrier-pigeon"})
	refused.await(func(svc *corev1.Service) error { return same(fmt.Sprint(svc.Finalizers), "["+library+"]") })
	theirs := create(t, nil, func(svc *corev1.Service) { svc.Spec.LoadBalancerClass = new(otherClass) })
	theirs.serveElsewhere(library)
	changed := create(t, nil, func(svc *corev1.Service) { svc.Spec.LoadBalancerClass = new(otherClass) })
	changed.serveElsewhere(library)

	broken := env.Cloud.AddFault(fault.Fault{Method: http.MethodDelete, Path: allBalancers + "/" + b.ID, Status: 500})
	leaving.become(corev1.ServiceTypeClusterIP, nil)
	leaving.event("DeletingLoadBalancer")
	stop(t, r.Process)
	served.handOver()
	served.serveElsewhere(otherFinalizer, library)
	leaving.become(corev1.ServiceTypeLoadBalancer, new(otherClass))
	deleted.handOver()
	deleted.begin()
	refused.handOver()
	changed.become(corev1.ServiceTypeClusterIP, nil)
	version := func(s *service) string { return s.get().ResourceVersion }
	before := []string{version(theirs), version(changed)}
	env.Cloud.RemoveFault(broken)
	r.launch(nil)

	served.left(otherAddress, otherFinalizer)
	leaving.left("")
	deleted.noBalancer()
	deleted.gone()
	refused.left("")
	later := create(t, nil)
	later.ready()
	if got := []string{version(theirs), version(changed)}; !slices.Equal(got, before) {
		t.Errorf("another controller's Services were written: versions %q, now %q", before, got)
	}
	if err := errors.Join(same(fmt.Sprint(theirs.get().Finalizers), "["+library+"]"), same(fmt.Sprint(changed.get().Finalizers), "["+library+"]")); err != nil {
		t.Error(err)
	}
	for _, s := range []*service{served, theirs, changed} {
		s.release()
	}
}
