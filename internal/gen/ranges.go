package main

import (
	"bytes"
	"cmp"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

const refusedRanges = "nobody, so they are refused"

// writeSourceRanges writes who enforces source ranges on each cloud. The rows are answers of the functions that decide for a Service.
func writeSourceRanges(b *bytes.Buffer, all []registry.Provider) {
	b.WriteString("# Source ranges\n\n" + header)
	b.WriteString("Who keeps out clients that are in none of the networks of `spec.loadBalancerSourceRanges`, or of one of the annotations that mean the same. " +
		"Where nobody does, a Service that has such networks gets no load balancer, and an event says why. One that is there keeps serving as it is. " +
		"`0.0.0.0/0` lets in everybody of IPv4, and `::/0` everybody of IPv6: neither counts for the other family. A list that lets in everybody " +
		"of each family that the Service and its load balancer have is no restriction, and nothing is refused for it.\n\n")
	tableHead(b, "Cloud", "Load balancer", "IPv4 clients are kept out by", "IPv6 clients are kept out by")
	for _, p := range all {
		if !p.Descriptor.Capabilities.Balancers || p.Descriptor.Status == cloud.StatusTest {
			continue
		}
		name := fmt.Sprintf("[%s](../providers/%s.md)", p.Descriptor.Title, p.Descriptor.Name)
		for _, e := range p.SourceRanges {
			row(b, name, e.Balancer, keptOut(e, e.Clients.IPv4), keptOut(e, e.Clients.IPv6))
		}
		if !p.Descriptor.Capabilities.SourceRanges {
			row(b, name, "any", refusedRanges, refusedRanges)
		}
	}
}

// keptOut says who keeps clients of a family out, which the load balancer may have no address of.
func keptOut(e cloud.Enforcement, reached bool) string {
	if !reached {
		return "–, it has no such address"
	}
	return cmp.Or(string(e.By), refusedRanges)
}
