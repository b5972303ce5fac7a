package difference

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
	parts = append(parts, Count(len(b.Targets), "target"))
	return b.Name + ": " + strings.Join(parts, ", ")
}

// Creation is the operation that makes the balancer.
func Creation(b cloud.Balancer) cloud.Operation {
	return cloud.Operation{Verb: cloud.Create, Kind: cloud.KindBalancer, After: balancerSummary(b)}
}

// Removal is the operation that deletes the balancer as it was observed, and why.
func Removal(observed cloud.Observed, reason string) cloud.Operation {
	return cloud.Operation{
		Verb: cloud.Delete, Kind: cloud.KindBalancer, Before: balancerSummary(observed.Balancer),
		Reason: reason, Destructive: true,
	}
}

// Summary lists operations in short: fields and listeners by name, targets by number.
func Summary(operations []cloud.Operation) string {
	var parts []string
	targets := 0
	for _, op := range operations {
		switch {
		case op.Kind == cloud.KindTarget:
			targets++
		case op.Kind == cloud.KindBalancer && op.Field == "":
			parts = append(parts, "the balancer itself")
		case op.Kind == cloud.KindBalancer:
			parts = append(parts, cloud.FieldText(op.Field))
		default:
			parts = append(parts, strings.TrimSpace(string(op.Kind)+" "+op.Key+" "+op.Field))
		}
	}
	if targets > 0 {
		parts = append(parts, Count(targets, "target"))
	}
	return strings.Join(parts, ", ")
}

// Count says how many there are of something: "1 target", "3 targets".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
