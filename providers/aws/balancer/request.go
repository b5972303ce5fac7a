package balancer

import (
	"cmp"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Subnets returns the subnets that the balancer shall have.
func Subnets(in cloud.Input) ([]string, error) {
	found := Found.Open(in.Findings)
	if found.SubnetProblem != "" {
		return nil, &cloud.Invalid{Field: option.Subnets.Name, Value: option.Subnets.In(in.Options), Want: found.SubnetProblem}
	}
	return found.Subnets, nil
}

// All clients there are.
const (
	Everyone  = "0.0.0.0/0"
	everyone6 = "::/0"
)

// Allow returns the networks that may connect, sorted.
func Allow(spec cloud.Spec, dualStack bool) []string {
	var allow []string
	for _, prefix := range spec.SourceRanges {
		allow = append(allow, prefix.String())
	}
	switch {
	case len(allow) > 0:
	case dualStack:
		return []string{Everyone, everyone6}
	default:
		return []string{Everyone}
	}
	slices.Sort(allow)
	return allow
}

// DefaultTLSPolicy is what AWS gives to listeners of both kinds that terminate TLS and name no
// policy (CreateListener, SslPolicy; Elastic Load Balancing guide, "Predefined SSL security
// policies for Classic Load Balancers").
const DefaultTLSPolicy = PredefinedPolicy + "2016-08"

// PredefinedPolicy is how the names of AWS's own policies begin.
const PredefinedPolicy = "ELBSecurityPolicy-"

// TLSPolicy is the policy that a Service asks for.
func TLSPolicy(spec cloud.Spec) string {
	return cmp.Or(option.TLSPolicy.In(spec.Options), DefaultTLSPolicy)
}

// ProxyCheck asks kube-proxy, or who stands in for it, whether a node is healthy.
func ProxyCheck(spec cloud.Spec) cloud.Health {
	return cloud.Health{Protocol: cloud.ProtocolHTTP, Port: spec.HealthPort, Path: "/healthz"}
}

// Adjust sets protocol, port and path of a health check as upstream's annotations say. Traffic stands for the port of the
// traffic.
func Adjust(h *cloud.Health, options map[string]string, traffic int) {
	h.Protocol = cmp.Or(cloud.Protocol(option.HealthProtocol.In(options)), h.Protocol)
	if h.Path = cmp.Or(option.HealthPath.In(options), h.Path, "/"); h.Protocol != cloud.ProtocolHTTP && h.Protocol != cloud.ProtocolHTTPS {
		h.Path = ""
	}
	switch option.HealthPort.In(options) {
	case "":
	case option.TrafficPort:
		h.Port = traffic
	default:
		h.Port = option.HealthPort.Int(options)
	}
}

// Repeat sets interval and thresholds of a health check as the annotations say.
func Repeat(h *cloud.Health, options map[string]string) {
	h.Interval = cmp.Or(option.Interval.Duration(options), h.Interval)
	h.Healthy = cmp.Or(option.Healthy.Int(options), h.Healthy)
	h.Unhealthy = cmp.Or(option.Unhealthy.Int(options), h.Unhealthy)
}
