package loadbalancer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// listenerSummary says in a few words what a listener does: "HTTPS to HTTP 31443".
func listenerSummary(l cloud.Listener) string {
	text := string(l.Protocol) + " to "
	if l.TargetProtocol != l.Protocol {
		text += string(l.TargetProtocol) + " "
	}
	return text + strconv.Itoa(l.TargetPort)
}

// balancerSummary says in a few words what a balancer is: "web: external, tcp/80 (TCP to 31080),
// 3 targets".
func balancerSummary(b cloud.Balancer) string {
	parts := []string{string(b.Scope)}
	if b.DualStack {
		parts = append(parts, "dual stack")
	}
	for _, l := range b.Listeners {
		parts = append(parts, fmt.Sprintf("%s (%s)", l.Key(), listenerSummary(l)))
	}
	if len(b.Allow) > 0 {
		parts = append(parts, "only from "+strings.Join(b.Allow, " "))
	}
	parts = append(parts, count(len(b.Targets), "target"))
	return b.Name + ": " + strings.Join(parts, ", ")
}

// count says how many there are of something: "1 target", "3 targets".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
