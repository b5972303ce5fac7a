package request

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// beyond returns what the spec asks for and the cloud cannot do:
//
//	asked for                     outcome
//	a protocol it does not have   refused, naming the port
//	no node port where needed     refused, naming the port
//	source ranges it can't check  refused: it would be open to everyone
func beyond(able cloud.Capabilities, spec cloud.Spec) []problem.Warning {
	var problems []problem.Warning
	for i, port := range spec.Ports {
		if !slices.Contains(able.Protocols, port.Protocol) {
			problems = append(problems, problem.Invalid(
				fmt.Sprintf("spec.ports[%d].protocol", i), string(port.Protocol), "this cloud has "+list(able.Protocols)))
		}
		if able.NodePorts && port.NodePort == 0 {
			problems = append(problems, problem.Invalid(
				fmt.Sprintf("spec.ports[%d].nodePort", i), "0", "this cloud's balancers connect to node ports; let the Service allocate them"))
		}
	}
	if !able.SourceRanges && !everyone(spec) {
		problems = append(problems, problem.Of(event.SourceRangesRefused, &cloud.Invalid{
			Field: "spec.loadBalancerSourceRanges", Value: list(spec.SourceRanges),
			Want: "this cloud cannot restrict client networks; remove them to let everyone in",
		}))
	}
	return problems
}

// everyone reports whether the source ranges let every client in, so that there is nothing
// to enforce.
func everyone(spec cloud.Spec) bool {
	if len(spec.SourceRanges) == 0 {
		return true
	}
	all4 := netip.PrefixFrom(netip.IPv4Unspecified(), 0)
	all6 := netip.PrefixFrom(netip.IPv6Unspecified(), 0)
	return slices.Contains(spec.SourceRanges, all4) && (!spec.DualStack || slices.Contains(spec.SourceRanges, all6))
}

func list[T any](items []T) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = fmt.Sprint(item)
	}
	return strings.Join(texts, ", ")
}
