package inspect

import (
	"maps"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
)

// explainListeners says where a balancer listens, and how the cloud finds out which targets get traffic.
func explainListeners(e *Explanation, b *cloud.Balancer) {
	s := e.section("Listeners")
	for _, l := range b.Listeners {
		s.add(l.Key(), difference.ListenerSummary(l), healthCheck("health check: ", l.Fields()))
	}
	if len(b.Listeners) == 0 {
		s.problem("none", "the load balancer listens on no port", "")
	}
	if check := healthCheck("", b.Fields()); check != "" {
		s.add("health check", "that of all listeners", check)
	}
}

// healthCheck returns the fields of a health check by the names that they have in plans, "" where there is none. What the
// cloud does not say is left out, such as the port of a check on that of the traffic.
func healthCheck(prefix string, fields map[string]string) string {
	says := ""
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := fields[name]
		field, of := strings.CutPrefix(name, "health.")
		if !of || value == "" || value == "0" || value == "0s" {
			continue
		}
		if says != "" {
			prefix = ", "
		}
		says += prefix + field + " " + value
	}
	return says
}
