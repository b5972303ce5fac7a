package cloud

import (
	"slices"
	"strings"
)

// ServiceField is a field of a Service that may say something about its load balancer, as people write it.
type ServiceField string

// The fields, see [ServiceFields].
const (
	ServiceProtocol        ServiceField = "spec.ports[].protocol"
	ServiceNodePorts       ServiceField = "spec.allocateLoadBalancerNodePorts"
	ServiceTrafficPolicy   ServiceField = "spec.externalTrafficPolicy"
	ServiceAffinity        ServiceField = "spec.sessionAffinity"
	ServiceAffinityTimeout ServiceField = "spec.sessionAffinityConfig"
	ServiceAddress         ServiceField = "spec.loadBalancerIP"
	ServiceSourceRanges    ServiceField = "spec.loadBalancerSourceRanges"
	ServiceFamilies        ServiceField = "spec.ipFamilies"
	ServiceAppProtocol     ServiceField = "spec.ports[].appProtocol"
	ServiceExternalIPs     ServiceField = "spec.externalIPs"
	ServiceDistribution    ServiceField = "spec.trafficDistribution"
	ServiceNotReady        ServiceField = "spec.publishNotReadyAddresses"
	ServiceClass           ServiceField = "spec.loadBalancerClass"
)

// ServiceFields are all of them, in the order of the documentation.
func ServiceFields() []ServiceField {
	return []ServiceField{
		ServiceProtocol, ServiceNodePorts, ServiceTrafficPolicy, ServiceAffinity, ServiceAffinityTimeout, ServiceAddress, ServiceSourceRanges,
		ServiceFamilies, ServiceAppProtocol, ServiceExternalIPs, ServiceDistribution, ServiceNotReady, ServiceClass,
	}
}

// Use is what becomes of a field of a Service on a cloud.
type Use struct {
	Handling Handling
	// Note says why, and what to do: behind the name of the field in an event, or as what was wanted where it is refused. Of a field that
	// is used it is for the documentation only.
	Note string
}

// Handling is what is done with a field.
type Handling string

// The kinds of handling.
//
//	Used     the load balancer is made as the field says
//	Partly   it depends on the load balancer. What of it has no effect, the driver or the kernel says on the Service
//	Ignored  it has no effect, which the kernel says on the Service
//	Refused  the Service is not served, which the kernel says on it
//	Others   it is not for load balancers: others act on it, or may. The kernel says so on the Service, and nothing is wrong
//	Silent   it is not used, and nothing is said of it: what says so is another field, or the Service is another controller's
const (
	Used    Handling = "used"
	Partly  Handling = "used in part"
	Ignored Handling = "no effect"
	Refused Handling = "refused"
	Others  Handling = "not for load balancers"
	Silent  Handling = "not used"
)

// everywhere is what becomes of a field on each cloud that does not declare another use.
var everywhere = map[ServiceField]Use{
	ServiceTrafficPolicy:   {Used, "with `Local` the health check asks `healthCheckNodePort`, unless the Service has a check of its own"},
	ServiceAffinityTimeout: {Ignored, "the load balancer keeps a client with a node for a time of its own; the nodes keep it with a Pod for the time that is set"},
	ServiceAppProtocol:     {Others, "no load balancer reads this hint; annotations choose what a port speaks"},
	ServiceExternalIPs:     {Others, "the nodes answer at these addresses, the load balancer does not have them"},
	ServiceDistribution:    {Others, "the nodes choose Pods by it, the load balancer does not choose nodes by it"},
	ServiceNotReady:        {Others, "the cluster publishes Pods by it, the load balancer checks nodes as ever"},
	ServiceClass:           {Silent, "a Service with a class is another controller's"},
}

// Use returns what becomes of a field of a Service: what is declared in Fields, else what follows from other capabilities, else what is
// the same on every cloud. It is zero where nothing says it.
func (c Capabilities) Use(field ServiceField) Use {
	if use, declared := c.Fields[field]; declared {
		return use
	}
	switch {
	case field == ServiceProtocol:
		return c.useOfProtocols()
	case field == ServiceNodePorts && c.NodePorts:
		return Use{Refused, "this cloud's balancers connect to node ports; let the Service allocate them"}
	case field == ServiceSourceRanges && !c.SourceRanges:
		return Use{Refused, "this cloud cannot restrict client networks; remove them to let everyone in"}
	case field == ServiceAffinityTimeout && !c.heeds(ServiceAffinity):
		return Use{Silent, "it belongs to `" + string(ServiceAffinity) + "`"}
	case field == ServiceSourceRanges:
		return Use{Partly, "see [who enforces them](source-ranges.md)"}
	}
	return everywhere[field]
}

// heeds reports whether load balancers follow a field, or some of them do.
func (c Capabilities) heeds(field ServiceField) bool {
	return slices.Contains([]Handling{Used, Partly}, c.Use(field).Handling)
}

// useOfProtocols says which transport protocols there are, and what becomes of the ports of others.
func (c Capabilities) useOfProtocols() Use {
	var parts, others []string
	for _, p := range []Protocol{ProtocolTCP, ProtocolUDP, ProtocolSCTP} {
		switch {
		case slices.Contains(c.Protocols, p):
			parts = append(parts, string(p))
		case !slices.Contains(c.LeavesOut, p):
			others = append(others, string(p))
		}
	}
	use := Use{Used, strings.Join(parts, ", ")}
	if len(c.LeavesOut) > 0 {
		use.Handling = Partly
		use.Note += "; ports of another protocol are left out"
	}
	if len(others) > 0 {
		use.Handling = Partly
		use.Note += "; " + strings.Join(others, " and ") + " refused"
	}
	return use
}
