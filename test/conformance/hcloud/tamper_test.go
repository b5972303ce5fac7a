package hcloud_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

// ProtectBalancer implements conformance.Protector.
func (c control) ProtectBalancer(id string) {
	c.must(c.server.EditBalancer(c.number(cloud.InstanceID(id)), func(b *emulator.Balancer) { b.Protection.Delete = true }))
}

// Leftovers implements conformance.Inspector. The uploaded certificate is not the driver's.
func (c control) Leftovers() (left []string) {
	state := c.server.State()
	for _, b := range state.Balancers {
		left = append(left, "load balancer "+b.Name)
	}
	for _, one := range state.Certificates {
		if one.Type == "managed" {
			left = append(left, "certificate "+one.Name)
		}
	}
	return left
}

// TamperBalancer implements conformance.Tamperer.
func (c control) TamperBalancer(id, field string) (done bool) {
	c.must(c.server.EditBalancer(c.number(cloud.InstanceID(id)), func(b *emulator.Balancer) { done = tamper(b, field) }))
	return done
}

// tamper changes a field of a load balancer, or of its service on port 80, to another value that the
// API can have.
func tamper(b *emulator.Balancer, field string) bool {
	changes := map[string]func(*emulator.Service){
		"protocol": func(s *emulator.Service) {
			s.Protocol, s.HTTP = "http", &emulator.ServiceHTTP{CookieName: "x", CookieLifetime: 1, TimeoutIdle: 60}
		},
		"targetPort":       func(s *emulator.Service) { s.DestinationPort++ },
		"proxyProtocol":    func(s *emulator.Service) { s.Proxyprotocol = true },
		"health.port":      func(s *emulator.Service) { s.HealthCheck.Port++ },
		"health.interval":  func(s *emulator.Service) { s.HealthCheck.Interval++ },
		"health.timeout":   func(s *emulator.Service) { s.HealthCheck.Timeout-- },
		"health.unhealthy": func(s *emulator.Service) { s.HealthCheck.Retries++ },
	}
	name, ofPort := strings.CutPrefix(field, "tcp/80 ")
	switch change := changes[name]; {
	case ofPort && change != nil:
		change(&b.Services[slices.IndexFunc(b.Services, func(s emulator.Service) bool { return s.ListenPort == 80 })])
	case field == "name":
		b.Name += "-renamed"
	case field == "scope":
		b.PublicNet.Enabled = false
	case field == "marks":
		maps.DeleteFunc(b.Labels, func(label, _ string) bool { return strings.HasSuffix(label, "/namespace") })
	case field == "network_label":
		maps.DeleteFunc(b.Labels, func(label, _ string) bool { return strings.HasSuffix(label, "/network") })
	case field == "algorithm":
		b.Algorithm.Type = "least_connections"
	case field == "privateTargets":
		b.Targets[0].UsePrivateIP = true
	case field == "network":
		b.PrivateNet = nil
	default:
		return false
	}
	return true
}
