package target

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/refused"
)

// A process that has just started, or taken over, knows a balancer's targets only from the cloud.
// Where its idea of the nodes and that of whoever put the targets there differ, most would go at
// once, and with them the traffic. So they stay until there is proof for each that it may go.

// hold returns the targets that stay although no node asks for them. It is pure.
//
//	this process                   that would go  a target without proof
//	has brought the targets once   any number     goes, but not one that was kept before
//	has not                        half or fewer  goes
//	has not                        more, or all   stays
//
// What was kept is let go when there is proof (see Prove), when a node asks for it and later does
// not, and when the Service asks for something else than then.
func hold(attached, targets []cloud.InstanceID, c Candidates, r Rules) []cloud.InstanceID {
	if len(attached) == 0 || slices.Equal(attached, targets) {
		return nil
	}
	wanted, kept := refused.SetOf(targets), refused.SetOf(r.Kept)
	served := sync.OnceValue(func() map[string]bool { return addressesOf(c.Targets, wanted) })
	var going []cloud.InstanceID
	for _, id := range attached {
		if !wanted[id] && (!id.Unknown() || !served()[addressOf(id)]) {
			going = append(going, id)
		}
	}
	most := 2*len(going) > len(attached)
	return slices.DeleteFunc(going, func(id cloud.InstanceID) bool {
		return c.free[id] || !kept[id] && (r.Brought || !most)
	})
}

// addressesOf returns the addresses of candidates, and which are those of a wanted one.
func addressesOf(candidates []cloud.Target, wanted map[cloud.InstanceID]bool) map[string]bool {
	addresses := map[string]bool{}
	for _, candidate := range candidates {
		for _, a := range candidate.Addresses {
			addresses[a.Address] = wanted[candidate.InstanceID]
		}
	}
	return addresses
}

// addressOf is the address of an unknown target.
func addressOf(id cloud.InstanceID) string {
	address, _, _ := strings.Cut(id.Address(), "#")
	return address
}

// heldWarnings say which targets are kept and why.
func heldWarnings(held []cloud.InstanceID, present int, skipped []skip, c Candidates) []problem.Warning {
	if len(held) == 0 {
		return nil
	}
	nodes, reasons := map[cloud.InstanceID]string{}, map[string]string{}
	for _, candidate := range c.Targets {
		nodes[candidate.InstanceID] = candidate.NodeName
	}
	for _, s := range skipped {
		reasons[s.node] = s.reason
	}
	var texts []string
	for _, id := range held {
		text := strings.TrimPrefix(string(id), "?") + " (no Node is known for it)"
		if node := nodes[id]; node != "" {
			text = fmt.Sprintf("%s (node %s: %s)", id, node, reasons[node])
		}
		texts = append(texts, text)
	}
	return []problem.Warning{problem.Warn(event.TargetsKept, fmt.Sprintf("%d of %s stay until something proves that they may go: %s", len(held), difference.Count(present, "target"), firstOf(texts)))}
}
