package firewall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// diff returns the operations between the present and the desired openings: what opens, then
// what changes, then what closes. Openings are compared by the traffic they let in and not by
// how they are split into rules.
//
//	observed   openings   operations
//	not found  -          create firewall, create each
//	drifted    same       update settings
//	-          same       none
//	-          differ     create, update sources, delete
func diff(observed cloud.ObservedFirewall, desired []cloud.Opening) []cloud.Operation {
	var head, open, change, shut []cloud.Operation
	switch {
	case !observed.Found:
		head = append(head, cloud.Operation{Verb: cloud.Create, Kind: cloud.KindFirewall})
	case observed.Drifted:
		head = append(head, cloud.Operation{
			Verb: cloud.Update, Kind: cloud.KindFirewall, Field: "settings", Reason: "changed outside Kubernetes",
		})
	}
	before, after := byPorts(merge(observed.Openings)), byPorts(merge(desired))
	for _, o := range merge(desired) {
		old, exists := before[o.PortRange]
		op := cloud.Operation{Verb: cloud.Create, Kind: cloud.KindFirewall, Key: o.String(), After: sourcesOf(o)}
		switch {
		case !exists:
			open = append(open, op)
		case !sameSources(old, o):
			op.Verb, op.Field, op.Before = cloud.Update, "sources", sourcesOf(old)
			change = append(change, op)
		}
	}
	for _, o := range merge(observed.Openings) {
		if _, wanted := after[o.PortRange]; !wanted {
			shut = append(shut, cloud.Operation{Verb: cloud.Delete, Kind: cloud.KindFirewall, Key: o.String(), Before: sourcesOf(o)})
		}
	}
	return slices.Concat(head, open, change, shut)
}

// same reports whether two sets let the same traffic in.
func same(a, b []cloud.Opening) bool {
	return len(diff(cloud.ObservedFirewall{Found: true, Openings: a}, b)) == 0
}

func byPorts(openings []cloud.Opening) map[cloud.PortRange]cloud.Opening {
	m := make(map[cloud.PortRange]cloud.Opening, len(openings))
	for _, o := range openings {
		m[o.PortRange] = o
	}
	return m
}

// list names the ports of openings for people, ten of them at most.
func list(openings []cloud.Opening) string {
	var names []string
	for i, o := range openings {
		if i == 10 {
			names = append(names, fmt.Sprintf("%d more", len(openings)-i))
			break
		}
		names = append(names, o.String())
	}
	return strings.Join(names, ", ")
}

func sourcesOf(o cloud.Opening) string {
	sources := slices.Clone(o.Sources)
	for _, id := range o.Balancers {
		sources = append(sources, "balancer "+id)
	}
	return strings.Join(sources, ", ")
}
