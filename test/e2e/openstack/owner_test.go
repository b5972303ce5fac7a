package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestTwoClusters have the same name, and their Services too.
func TestTwoClusters(t *testing.T) {
	a := newSite(t, siteOptions{cluster: "a"})
	b := on(t, a.project, a.nodes, siteOptions{cluster: "b"})
	clean := a.leavesNothing()
	inA, inB := a.service("web"), b.service("web")
	a.ensure(inA)
	b.ensure(inB)
	if inA.Annotations[own+"load-balancer-id"] == inB.Annotations[own+"load-balancer-id"] || inA.Status.LoadBalancer.Ingress[0].IP == inB.Status.LoadBalancer.Ingress[0].IP {
		t.Fatalf("both have the balancer %v", inA.Annotations)
	}
	stolen := b.service("web")
	stolen.Annotations[own+"load-balancer-id"] = inA.Annotations[own+"load-balancer-id"]
	if err := b.try(stolen); err == nil || !strings.Contains(err.Error(), "no load balancer with this id that the Service may use") {
		t.Errorf("another cluster's balancer by its id: %v", err)
	}
	// Upstream's ownership tags count too: of another cluster, and of another Service that was not shared.
	id := inA.Annotations[own+"load-balancer-id"]
	for _, tags := range [][]string{{"kube_service_prod2_shop_web"}, {"kube_service_kubernetes_bank_vault", "kube_service_kubernetes_bank_safe"}} {
		ownershipTags := a.look(inA).lb["tags"]
		a.change(a.project.Balancer, http.MethodPut, "lbaas/loadbalancers/"+id, object{"loadbalancer": object{"tags": tags}})
		a.settle(id)
		if err := b.try(stolen); err == nil || !strings.Contains(err.Error(), "no load balancer with this id that the Service may use") {
			t.Errorf("a balancer with the tags %q by its id: %v", tags, err)
		}
		a.change(a.project.Balancer, http.MethodPut, "lbaas/loadbalancers/"+id, object{"loadbalancer": object{"tags": ownershipTags}})
		a.settle(id)
	}
	before := a.inventory()
	b.remove(inB)
	b.remove(stolen)
	a.ensure(inA)
	if after := a.inventory(); len(after) >= len(before) || len(a.look(inA).members[443]) != 2 {
		t.Errorf("of %d objects %d are left", len(before), len(after))
	}
	a.remove(inA)
	clean()
}

// TestTakeover starts from what the upstream CCM leaves behind: its names and tags, its
// description of the floating IP, and the id on the Service.
func TestTakeover(t *testing.T) {
	s := newSite(t, siteOptions{})
	clean := s.leavesNothing()
	svc := s.service("web")
	s.ensure(svc)
	before := s.look(svc)
	id, name := text(before.lb, "id"), text(before.lb, "name")
	s.change(s.project.Balancer, http.MethodPut, "lbaas/loadbalancers/"+id, object{"loadbalancer": object{"tags": []string{name}}})
	s.settle(id)
	s.change(s.project.Network, http.MethodPut, "floatingips/"+text(before.floating, "id"), object{"floatingip": object{
		"description": "Floating IP for Kubernetes external service shop/web from cluster kubernetes",
	}})

	stranger := on(t, s.project, s.nodes, siteOptions{cluster: "stranger"})
	if err := stranger.try(stranger.service("web")); err == nil || !strings.Contains(err.Error(), "has this name") {
		t.Errorf("a balancer that only its name leads to: %v", err)
	}
	fresh := on(t, s.project, s.nodes, siteOptions{})
	fresh.traffic.take()
	fresh.ensure(svc)
	requests, writes := about(fresh.traffic.take())
	if writes != 1 {
		t.Errorf("%d writes, want one that marks the balancer: %q", writes, requests)
	}
	after := fresh.look(svc)
	if text(after.lb, "id") != id || text(after.floating, "id") != text(before.floating, "id") {
		t.Errorf("balancer %v at %v, want %v at %v", after.lb["id"], after.floating["id"], id, before.floating["id"])
	}
	fresh.remove(svc)
	clean()
}

func TestSharing(t *testing.T) {
	s := newSite(t, siteOptions{})
	clean := s.leavesNothing()
	first := s.service("first")
	s.ensure(first)
	id := first.Annotations[own+"load-balancer-id"]
	on8080 := func(svc *corev1.Service) {
		svc.Spec.Ports = []corev1.ServicePort{{Protocol: corev1.ProtocolTCP, Port: 8080, NodePort: 30088}}
	}
	second := s.service("second", on8080, annotated(own+"load-balancer-id", id))
	s.ensure(second)
	if got := second.Status.LoadBalancer.Ingress[0].IP; got != first.Status.LoadBalancer.Ingress[0].IP {
		t.Errorf("the second Service is at %s, the first at %v", got, first.Status.LoadBalancer.Ingress)
	}
	for what, refused := range map[string]*corev1.Service{
		"a third one":        s.service("third", func(svc *corev1.Service) { svc.Spec.Ports = svc.Spec.Ports[:1]; svc.Spec.Ports[0].Port = 81 }, annotated(own+"load-balancer-id", id)),
		"one at a used port": s.service("clash", annotated(own+"load-balancer-id", id)),
	} {
		if err := s.try(refused); err == nil {
			t.Errorf("%s is served", what)
		}
		s.remove(refused)
	}
	s.ensure(first)
	s.ensure(second)
	if b := s.look(first); len(b.listeners) != 3 || len(b.members[8080]) != 2 {
		t.Errorf("listeners %v", b.listeners)
	}
	s.remove(first)
	if b := s.look(second); len(b.listeners) != 1 || b.floating == nil {
		t.Errorf("the first Service is gone: listeners %v, floating IP %v", b.listeners, b.floating)
	}
	s.ensure(second)
	s.remove(second)
	clean()
}
