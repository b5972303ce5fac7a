package openstack_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// grouped returns the ports that have a security group.
func (s *site) grouped(id string) []object {
	s.Helper()
	return s.all(s.project.Network, "ports", "ports", url.Values{"security_groups": {id}})
}

// ungroup takes a security group from all ports.
func (s *site) ungroup(id string) {
	s.Helper()
	for _, port := range s.grouped(id) {
		groups := []any{}
		for _, group := range port["security_groups"].([]any) {
			if group != id {
				groups = append(groups, group)
			}
		}
		s.change(s.project.Network, http.MethodPut, "ports/"+text(port, "id"), object{"port": object{"security_groups": groups}})
	}
}

func TestSecurityGroups(t *testing.T) {
	s := newSite(t, siteOptions{})
	project, nodes := s.project, s.nodes
	clean := s.leavesNothing()
	managed := "[LoadBalancer]\nmanage-security-groups=true\n"
	s = on(t, project, nodes, siteOptions{config: managed})
	svc := s.service("web", func(svc *corev1.Service) {
		svc.Spec.ExternalTrafficPolicy, svc.Spec.HealthCheckNodePort = corev1.ServiceExternalTrafficPolicyLocal, 32000
	})
	s.ensure(svc)
	want := []string{"ingress tcp 30080 10.0.0.0/16", "ingress tcp 30443 10.0.0.0/16", "ingress tcp 32000 10.0.0.0/16"}
	if diff := cmp.Diff(want, s.rules(svc)); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	id := text(s.look(svc).groups[0], "id")
	if ports := s.grouped(id); len(ports) != 2 {
		t.Errorf("%d ports have the group, want both nodes'", len(ports))
	}
	s.nodes, svc.Spec.Ports = nodes[:1], svc.Spec.Ports[:1]
	s.ensure(svc)
	if diff := cmp.Diff([]string{want[0], want[2]}, s.rules(svc)); diff != "" {
		t.Errorf("rules after a port is gone (-want +got):\n%s", diff)
	}
	if ports := s.grouped(id); len(ports) != 1 {
		t.Errorf("%d ports have the group, want that of the node that is left", len(ports))
	}
	again := on(t, project, nodes, siteOptions{})
	again.ensure(svc)
	if groups := again.look(svc).groups; len(groups) != 0 {
		t.Errorf("groups are not managed any more, and there is %v", groups)
	}
	again.remove(svc)
	clean()
}

// rules lists the rules of the Service's group.
func (s *site) rules(svc *corev1.Service) []string {
	var list []string
	for _, group := range s.look(svc).groups {
		for _, rule := range group["security_group_rules"].([]any) {
			r := rule.(object)
			list = append(list, fmt.Sprintf("%s %s %.0f %s", r["direction"], r["protocol"], r["port_range_min"], r["remote_ip_prefix"]))
		}
	}
	slices.Sort(list)
	return list
}
