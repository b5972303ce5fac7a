package build

import (
	"strings"
	"testing"
)

const module = "github.com/multicloud-ccm/multicloud-ccm/"

// aws are packages of the driver for AWS.
func aws(names ...string) []string {
	for i, name := range names {
		names[i] = module + "providers/aws/" + name + "/"
	}
	return names
}

// openstack are packages of the driver for OpenStack.
func openstack(names ...string) []string {
	for i, name := range names {
		names[i] = module + "providers/openstack/" + name + "/"
	}
	return names
}

// balancer returns packages of kernel/loadbalancer.
func balancer(names ...string) []string {
	for i, name := range names {
		names[i] = module + "kernel/loadbalancer/" + name + "/"
	}
	return names
}

// framework returns packages of kernel/framework.
func framework(names ...string) []string {
	for i, name := range names {
		names[i] = module + "kernel/framework/" + name + "/"
	}
	return names
}

// TestImportLaw checks who depends on whom, transitively, which no linter sees.
func TestImportLaw(t *testing.T) {
	tests := []struct {
		pattern string
		never   []string
	}{
		{"./kernel/cloud", []string{"k8s.io/", module + "kernel/annotation", "golang.org/", "github.com/digitalocean"}},
		{"./kernel/annotation", []string{"k8s.io/"}},
		{"./kernel/plan", []string{"k8s.io/"}},
		{"./kernel/certificate/judge", []string{"k8s.io/cloud-provider", "k8s.io/component-base", module + "providers"}},
		{"./kernel/certificate", []string{"k8s.io/cloud-provider", "k8s.io/component-base", module + "providers"}},
		{"./kernel/run", []string{"k8s.io/cloud-provider", "k8s.io/client-go", module + "providers"}},
		{"./kernel/safety/ownership", []string{"k8s.io/", module + "kernel/annotation"}},
		{"./kernel/transport", []string{"k8s.io/", module + "providers", module + "kernel/run"}},
		{"./kernel/instance", []string{"k8s.io/cloud-provider", "k8s.io/component-base", module + "providers"}},
		{"./kernel/loadbalancer", []string{"k8s.io/cloud-provider", "k8s.io/component-base", module + "providers"}},
		{"./kernel/loadbalancer/difference", balancer("problem", "request", "state", "decide")},
		{"./kernel/loadbalancer/problem", balancer("request", "state", "decide")},
		{"./kernel/loadbalancer/bulklist", balancer("request", "state", "decide")},
		{"./kernel/loadbalancer/replacement", balancer("request", "state", "decide")},
		{"./kernel/loadbalancer/request", balancer("status", "target", "owner", "state", "decide")},
		{"./kernel/loadbalancer/status", balancer("target", "owner", "state", "decide")},
		{"./kernel/loadbalancer/refused", balancer("request", "status", "target", "owner", "state", "decide")},
		{"./kernel/loadbalancer/target", balancer("request", "status", "owner", "state", "decide")},
		{"./kernel/loadbalancer/owner", balancer("target", "state", "decide")},
		{"./kernel/loadbalancer/state", balancer("request", "status", "target", "owner", "decide")},
		{"./kernel/loadbalancer/decide", balancer("status", "owner", "bulklist")},
		{"./kernel/operation", []string{"k8s.io/", module + "providers", module + "kernel/run"}},
		{"./kernel/composite", []string{"k8s.io/", module + "providers"}},
		{"./kernel/route", []string{"k8s.io/cloud-provider", "k8s.io/component-base", module + "providers"}},
		{"./kernel/firewall", []string{"k8s.io/cloud-provider", "k8s.io/component-base", module + "providers"}},
		{"./kernel/framework", []string{module + "providers", module + "internal"}},
		{"./kernel/framework/balancer", framework("client", "leader", "command", "controller")},
		{"./kernel/framework/client", framework("balancer", "view", "leader", "command", "controller")},
		{"./kernel/framework/leader", framework("balancer", "client", "view", "command", "controller")},
		{"./kernel/framework/view", framework("balancer", "client", "leader", "command", "controller", "drain")},
		{"./kernel/framework/rbac", framework("balancer", "client", "view", "leader", "command")},
		{"./providers/aws/config", aws("session", "instance")},
		{"./providers/aws/instance", aws("route", "vpc", "secgroup", "balancer", "elb", "nlb", "service", "session")},
		{"./providers/aws/route", aws("vpc", "secgroup", "balancer", "elb", "nlb", "service", "session")},
		{"./providers/aws/secgroup", aws("route", "balancer", "elb", "nlb", "service", "session")},
		{"./providers/aws/elb", aws("route", "nlb", "service", "session")},
		{"./providers/aws/nlb", aws("route", "elb", "service", "session")},
		{"./providers/aws/service", aws("route", "session")},
		{"./kernel/cloudconf", []string{"k8s.io/", module + "providers"}},
		{"./kernel/packetfilter", []string{"k8s.io/", module + "providers", module + "kernel/composite", module + "kernel/firewall"}},
		{"./providers/openstack/config", openstack("session", "option")},
		{"./providers/openstack/api", openstack("config", "session", "option")},
		{"./providers/openstack/option", openstack("session")},
		{"./providers/openstack/session", openstack("option", "neutron")},
		{"./providers/openstack/neutron", openstack("config", "session", "option")},
		{"./providers/openstack/nova", openstack("session", "option", "route")},
		{"./providers/openstack/route", openstack("config", "session", "option", "nova")},
		{"./providers/openstack/tag", openstack("api", "config", "session", "option", "neutron", "nova", "route")},
		{"./providers/openstack/octavia", openstack("session", "nova", "route")},
		{"./examples/toycloud", []string{"k8s.io/", module + "providers", module + "kernel/framework", module + "internal"}},
		{"./cmd/...", []string{module + "test", module + "examples", "k8s.io/kubernetes"}},
	}
	for _, tt := range tests {
		deps := strings.Fields(goTool(t, "list", "-deps", tt.pattern))
		if len(deps) == 0 {
			t.Errorf("%s has no packages", tt.pattern)
		}
		for _, dep := range deps {
			for _, never := range tt.never {
				if strings.HasPrefix(dep+"/", never) {
					t.Errorf("%s depends on %s", tt.pattern, dep)
				}
			}
		}
	}
}
