package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// readFields finds what the fields of the Service ask for and the cloud cannot do, or does not use.
func (r *Request) readFields(able cloud.Capabilities) {
	refused, unused := Fields(able, r.Service)
	r.Problems = slices.Concat(r.Problems, beyond(able, r.Input.Spec), refused)
	r.leaveOut(able)
	r.Warnings = append(r.Warnings, unused...)
}

// beyond returns what the spec asks for and the cloud cannot do:
//
//	asked for                     outcome
//	a protocol it does not have   refused, naming the port, unless that is left out
//	no node port where needed     refused, naming the port
//	source ranges it can't check  refused: it would be open to everyone
func beyond(able cloud.Capabilities, spec cloud.Spec) []problem.Warning {
	var problems []problem.Warning
	left := leftOut(able, spec.Ports)
	for i, port := range spec.Ports {
		if left[i] {
			continue
		}
		if !slices.Contains(able.Protocols, port.Protocol) {
			problems = append(problems, problem.Invalid(
				fmt.Sprintf("spec.ports[%d].protocol", i), string(port.Protocol), "this cloud has "+list(able.Protocols)))
		}
		if able.NodePorts && port.NodePort == 0 {
			problems = append(problems, problem.Invalid(
				fmt.Sprintf("spec.ports[%d].nodePort", i), "", able.Use(cloud.ServiceNodePorts).Note))
		}
	}
	if !able.SourceRanges && spec.Restricts(spec.Families()) {
		problems = append(problems, problem.Of(event.SourceRangesRefused, &cloud.Invalid{
			Field: "spec.loadBalancerSourceRanges", Value: list(spec.SourceRanges),
			Want: able.Use(cloud.ServiceSourceRanges).Note,
		}))
	}
	return problems
}

// leftOut returns the indices of ports that are left out because of their protocol, none where no other
// port would be left.
func leftOut(able cloud.Capabilities, ports []cloud.Port) map[int]bool {
	left := map[int]bool{}
	for i, port := range ports {
		if slices.Contains(able.LeavesOut, port.Protocol) {
			left[i] = true
		}
	}
	if len(left) == len(ports) {
		return nil
	}
	return left
}

// leaveOut takes the ports out of the spec that are left out, and says so.
func (r *Request) leaveOut(able cloud.Capabilities) {
	left := leftOut(able, r.Input.Ports)
	var ports []cloud.Port
	for i, port := range r.Input.Ports {
		if !left[i] {
			ports = append(ports, port)
			continue
		}
		r.Warnings = append(r.Warnings, problem.Warn(event.ConfigurationIgnored, fmt.Sprintf(
			"spec.ports[%d].protocol: port %d is left out: this cloud has no %s", i, port.Port, port.Protocol)))
	}
	r.Input.Ports = ports
}

func list[T any](items []T) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = fmt.Sprint(item)
	}
	return strings.Join(texts, ", ")
}
