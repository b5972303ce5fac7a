package inspect

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
)

// explainListeners says where a balancer listens, and how the cloud finds out which targets get traffic.
func explainListeners(e *Explanation, b cloud.Balancer) {
	s := e.section("Listeners")
	for _, l := range b.Listeners {
		why := ""
		if l.Health != nil {
			why = "health check: " + checked(*l.Health)
		}
		s.add(l.Key(), difference.ListenerSummary(l), why)
	}
	if len(b.Listeners) == 0 {
		s.problem("none", "the load balancer listens on no port", "")
	}
	if b.Health != nil {
		s.add("health check", checked(*b.Health), "that of all listeners")
	}
}

// checked says in a few words how targets are checked: "HTTP on port 10256, path /healthz, every 10s". What the cloud does
// not say is left out, such as the port of a check on that of the traffic.
func checked(h cloud.Health) string {
	says := string(h.Protocol)
	if h.Port != 0 {
		says += fmt.Sprintf(" on port %d", h.Port)
	}
	parts := []string{says}
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+" "+value)
		}
	}
	add("path", h.Path)
	add("every", span(h.Interval))
	add("timeout", span(h.Timeout))
	add("healthy after", count(h.Healthy))
	add("unhealthy after", count(h.Unhealthy))
	for _, field := range slices.Sorted(maps.Keys(h.ProviderFields)) {
		add(field, h.ProviderFields[field])
	}
	return strings.Join(parts, ", ")
}

func span(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
