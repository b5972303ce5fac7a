package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

// phase is a part of the story that ends when its expectations are met.
type phase int

const (
	joining phase = iota + 1 // nodes and Service are new
	outage                   // one machine is off, one is gone
)

// answer says whether something should happen in a cluster.
type answer int

const (
	no answer = iota
	yes
	unasked
)

// expectation is something that a CCM does, or must not do.
type expectation struct {
	phase phase
	name  string
	// look says what is there, and whether that is what the name says.
	look func(*side) (seen string, holds bool)
	// expect has the answer for each side.
	expect [2]answer
	// lasts is for how long it has to hold, from the beginning of the phase.
	lasts time.Duration

	judged bool
	seen   [2]string
	holds  [2]bool
	// after is when it first held with the CCM, 0 for from the start.
	after time.Duration
}

// The answers of both sides: of the cluster with the CCM alone, of both, and of what the other one has none of.
var onlyWith, both, ofCCM = [2]answer{no, yes}, [2]answer{yes, yes}, [2]answer{unasked, yes}

// expectations returns the table of everything that is checked.
func expectations(c cloud) []*expectation {
	machines := c.machines()
	topology := "regions are labels on the Nodes"
	if machines[0].zone != "" {
		topology = "regions and zones are labels on the Nodes"
	}
	addresses, outages := ofMachines(c)
	list := slices.Concat([]*expectation{
		{phase: joining, name: "new nodes lose the taint \"uninitialized\"", look: every(machines, initialised), expect: onlyWith},
		{phase: joining, name: "provider-IDs name the machines", look: every(machines, named), expect: onlyWith},
		{phase: joining, name: topology, look: every(machines, placed), expect: onlyWith},
		addresses,
		{phase: joining, name: "the Service has an external IP", look: hasExternalIP, expect: onlyWith},
		{phase: joining, name: "requests through the balancer are answered", look: answered(""), expect: onlyWith},
	}, outages, []*expectation{
		{phase: outage, name: healthy + " stays Ready, without taints", look: one(healthy, untouched), expect: onlyWith},
		{phase: outage, name: "the Service keeps an external IP", look: hasExternalIP, expect: onlyWith},
		{phase: outage, name: "requests are still answered, all by " + healthy, look: answered(healthy), expect: onlyWith},
		{phase: outage, name: "no Warning came before anything was wrong", look: unwarned, expect: ofCCM},
		{phase: outage, name: "the permissions of config/rbac are enough", look: permitted, expect: ofCCM},
	})
	return slices.DeleteFunc(list, func(e *expectation) bool {
		return !c.carriesTraffic() && strings.Contains(e.name, "answered") || !c.hasBalancers() && strings.Contains(e.name, "the Service")
	})
}

// kept is for how long Nodes are watched that have to be kept: twice what haste lets pass until one is deleted.
const kept = 20 * time.Second

// ofMachines are the expectations that depend on whether somebody can be asked what became of a machine.
func ofMachines(c cloud) (addresses *expectation, outages []*expectation) {
	if !c.hasAPI() {
		return &expectation{phase: joining, name: "addresses are those that the kubelets tell", look: every(c.machines(), addressed), expect: both}, []*expectation{
			{phase: outage, name: stopped + " (off) is kept, without a taint", look: one(stopped, free), expect: onlyWith, lasts: kept},
			{phase: outage, name: deleted + " (gone) is kept, without a taint", look: one(deleted, free), expect: onlyWith, lasts: kept},
		}
	}
	return &expectation{phase: joining, name: "addresses are those of the machines", look: every(c.machines(), addressed), expect: onlyWith}, []*expectation{
		{phase: outage, name: stopped + " (off) gets the taint \"shutdown\"", look: one(stopped, tainted), expect: onlyWith},
		{phase: outage, name: stopped + " stays: off is not gone", look: stays(stopped), expect: both},
		{phase: outage, name: deleted + " (gone) is removed", look: removed(deleted), expect: onlyWith},
	}
}

// leftOut says which expectations of other clouds there are none of on this one, and why, "" when there are all.
func leftOut(c cloud) string {
	switch {
	case !c.hasAPI():
		return "Services and requests are left out: with " + c.provider() + " the CCM touches no Service"
	case !c.hasBalancers():
		return "Services and requests are left out: the CCM has no load balancers on " + c.provider() + " yet"
	case !c.carriesTraffic():
		return "requests through the balancer are left out: it carries no traffic on " + c.title()
	}
	return ""
}

// judge looks at both sides.
func (e *expectation) judge(sides [2]*side, elapsed time.Duration) {
	first, before := !e.judged, e.holds[with]
	for i, s := range sides {
		if e.expect[i] != unasked {
			e.seen[i], e.holds[i] = e.look(s)
			e.holds[i] = e.holds[i] && elapsed >= e.lasts
		}
	}
	e.judged = true
	if !first && !before && e.holds[with] {
		e.after = elapsed
	}
}

// meets reports whether a side is as expected.
func (e *expectation) meets(i int) bool {
	return e.expect[i] == unasked || e.judged && e.holds[i] == (e.expect[i] == yes)
}

func (e *expectation) met() bool { return e.meets(without) && e.meets(with) }

// every looks at all Nodes and counts.
func every(machines []machine, is func(*corev1.Node, machine) bool) func(*side) (string, bool) {
	return func(s *side) (string, bool) {
		count := 0
		for _, m := range machines {
			if node := s.nodes[m.name]; node != nil && is(node, m) {
				count++
			}
		}
		return fmt.Sprintf("%d of %d", count, len(machines)), count == len(machines)
	}
}

func initialised(node *corev1.Node, _ machine) bool {
	return !hasTaint(node, controlplane.UninitializedTaint)
}

func named(node *corev1.Node, m machine) bool { return node.Spec.ProviderID == m.providerID }

func placed(node *corev1.Node, m machine) bool {
	return node.Labels[corev1.LabelTopologyRegion] == m.region && node.Labels[corev1.LabelTopologyZone] == m.zone
}

func addressed(node *corev1.Node, m machine) bool { return slices.Equal(ips(node), m.addresses) }

// one looks at one Node, and at its state only when it has no taints.
func one(name string, is func(*corev1.Node) bool) func(*side) (string, bool) {
	return func(s *side) (string, bool) {
		node := s.nodes[name]
		if node == nil {
			return gone, false
		}
		if taints := cloudTaints(node); taints != nothing {
			return taints, is(node)
		}
		return state(node), is(node)
	}
}

func tainted(node *corev1.Node) bool { return hasTaint(node, shutdownTaint) }

// stays is the opposite of removed.
func stays(name string) func(*side) (string, bool) {
	return func(s *side) (string, bool) {
		seen, is := removed(name)(s)
		return seen, !is
	}
}

func untouched(node *corev1.Node) bool { return isReady(node) && free(node) }

func free(node *corev1.Node) bool { return cloudTaints(node) == nothing }

func removed(name string) func(*side) (string, bool) {
	return func(s *side) (string, bool) {
		if node := s.nodes[name]; node != nil {
			return state(node), false
		}
		return gone, true
	}
}

func hasExternalIP(s *side) (string, bool) {
	ip := externalIP(s.service)
	return ip, s.service != nil && len(s.service.Status.LoadBalancer.Ingress) > 0
}

// answered looks at who answered: these, or with "" anybody.
func answered(by string) func(*side) (string, bool) {
	return func(s *side) (string, bool) {
		if s.answer.nodes == "" {
			return nothing, false
		}
		return fmt.Sprintf("by %d of %d nodes", strings.Count(s.answer.nodes, ",")+1, len(nodeNames)), by == "" || s.answer.nodes == by
	}
}

// unwarned looks for Warnings, which say that something is wrong.
func unwarned(s *side) (string, bool) {
	if len(s.warnings) == 0 {
		return "no Warning", true
	}
	return s.warnings[0], false
}

// permitted looks for refusals of the API server.
func permitted(s *side) (string, bool) {
	for line := range strings.Lines(s.log()) {
		if strings.Contains(line, "is forbidden") || strings.Contains(line, "Unauthorized") {
			return strings.TrimSpace(line), false
		}
	}
	return "nothing refused", true
}
