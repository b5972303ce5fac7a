package openstack_test

import (
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestRepair deletes parts of a balancer by hand. Each comes back, and the deletion of the Service
// leaves nothing.
func TestRepair(t *testing.T) {
	s := newSite(t, siteOptions{})
	s = on(t, s.project, s.nodes, siteOptions{config: "[LoadBalancer]\nmanage-security-groups=true\n"})
	clean := s.leavesNothing()
	svc := s.service("web")
	s.ensure(svc)
	t.Run("pool", func(t *testing.T) {
		before := s.look(svc)
		s.change(s.project.Balancer, http.MethodDelete, "lbaas/pools/"+text(before.pools[80], "id"), nil)
		s.settle(text(before.lb, "id"))
		s.ensure(svc)
		if after := s.look(svc); len(after.members[80]) != 2 {
			t.Errorf("members of the new pool: %v", after.members[80])
		}
	})
	t.Run("listener", func(t *testing.T) {
		before := s.look(svc)
		s.change(s.project.Balancer, http.MethodDelete, "lbaas/listeners/"+text(before.listeners[443], "id"), nil)
		s.settle(text(before.lb, "id"))
		s.ensure(svc)
		if after := s.look(svc); len(after.members[443]) != 2 {
			t.Errorf("members of the new listener: %v", after.members[443])
		}
	})
	t.Run("floating IP", func(t *testing.T) {
		before := s.look(svc)
		s.change(s.project.Network, http.MethodDelete, "floatingips/"+text(before.floating, "id"), nil)
		s.ensure(svc)
		if after := s.look(svc); after.floating == nil || svc.Status.LoadBalancer.Ingress[0].IP != text(after.floating, "floating_ip_address") {
			t.Errorf("floating IP %v, status %v", after.floating, svc.Status.LoadBalancer)
		}
	})
	t.Run("security group", func(t *testing.T) {
		before := s.look(svc)
		id := text(before.groups[0], "id")
		s.ungroup(id)
		s.change(s.project.Network, http.MethodDelete, "security-groups/"+id, nil)
		s.ensure(svc)
		if after := s.look(svc); len(after.groups) != 1 || len(s.grouped(text(after.groups[0], "id"))) != 2 {
			t.Errorf("security groups %v", after.groups)
		}
	})
	t.Run("balancer", func(t *testing.T) {
		s.outlives(svc)
		before := s.look(svc)
		s.change(s.project.Balancer, http.MethodDelete, "lbaas/loadbalancers/"+text(before.lb, "id")+"?cascade=true", nil)
		s.settle(text(before.lb, "id"))
		s.ensure(svc)
		after := s.look(svc)
		if text(after.lb, "id") == text(before.lb, "id") || text(after.floating, "id") != text(before.floating, "id") {
			t.Errorf("balancer %v, floating IP %v: want another balancer at the same address", after.lb["id"], after.floating)
		}
	})
	t.Run("balancer, then the Service", func(t *testing.T) {
		s.outlives(svc)
		before := s.look(svc)
		s.change(s.project.Balancer, http.MethodDelete, "lbaas/loadbalancers/"+text(before.lb, "id")+"?cascade=true", nil)
		s.settle(text(before.lb, "id"))
		leaving := svc.DeepCopy()
		leaving.DeletionTimestamp = new(metav1.Now())
		if _, exists, err := s.manager.Get(t.Context(), leaving); err != nil || !exists {
			t.Errorf("exists %t, %v: its floating IP and security group do", exists, err)
		}
		s.remove(svc)
	})
	clean()
}
