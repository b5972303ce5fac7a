package request

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// proxyHealthPort is where kube-proxy answers GET /healthz.
const proxyHealthPort = 10256

// ports returns the Service's ports in its own order: the first one has a meaning to some
// clouds.
func ports(svc *corev1.Service) []cloud.Port {
	var ports []cloud.Port
	for _, p := range svc.Spec.Ports {
		port := cloud.Port{
			Name:     p.Name,
			Protocol: cloud.Protocol(p.Protocol),
			Port:     int(p.Port),
			NodePort: int(p.NodePort),
		}
		if port.Protocol == "" {
			port.Protocol = cloud.ProtocolTCP
		}
		if p.AppProtocol != nil {
			port.AppProtocol = *p.AppProtocol
		}
		ports = append(ports, port)
	}
	return ports
}

// healthPort returns where each node answers for the Service:
//
//	externalTrafficPolicy  port                 answers 200 when
//	Cluster                10256                kube-proxy works
//	Local                  healthCheckNodePort  the node also has an endpoint
func healthPort(svc *corev1.Service) int {
	local := svc.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal
	if local && svc.Spec.HealthCheckNodePort > 0 {
		return int(svc.Spec.HealthCheckNodePort)
	}
	return proxyHealthPort
}

// sourceRanges returns the networks that may connect, masked, sorted and each once; none
// means everyone.
func sourceRanges(svc *corev1.Service) ([]netip.Prefix, []problem.Warning) {
	field, given, _ := annotation.SourceRangesOf(svc.Spec.LoadBalancerSourceRanges, svc.Annotations)
	var ranges []netip.Prefix
	var problems []problem.Warning
	for _, text := range given {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			problems = append(problems, problem.Invalid(field, text, `want a network such as "10.0.0.0/8"`))
			continue
		}
		ranges = append(ranges, prefix.Masked())
	}
	slices.SortFunc(ranges, netip.Prefix.Compare)
	return slices.Compact(ranges), problems
}

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

// setting is a place of a Service that says something about its load balancer, and what it says.
type setting struct{ path, value string }

// readers say where a Service sets a field. What the API server writes by itself is not set. Which protocols and source ranges there are
// says beyond, which of the address families are served package decide, and the traffic policy is read on every cloud.
var readers = map[cloud.ServiceField]func(corev1.ServiceSpec) []setting{
	cloud.ServiceNodePorts: func(s corev1.ServiceSpec) []setting {
		return ofPorts(s, "nodePort", func(p corev1.ServicePort) (string, bool) { return "", p.NodePort == 0 })
	},
	cloud.ServiceAffinity: func(s corev1.ServiceSpec) []setting {
		return when(s.SessionAffinity == corev1.ServiceAffinityClientIP, "spec.sessionAffinity", string(s.SessionAffinity))
	},
	cloud.ServiceAffinityTimeout: func(s corev1.ServiceSpec) []setting {
		if c := s.SessionAffinityConfig; c == nil || c.ClientIP == nil || c.ClientIP.TimeoutSeconds == nil {
			return nil
		}
		seconds := *s.SessionAffinityConfig.ClientIP.TimeoutSeconds
		return when(seconds != corev1.DefaultClientIPServiceAffinitySeconds, "spec.sessionAffinityConfig.clientIP.timeoutSeconds", strconv.Itoa(int(seconds)))
	},
	cloud.ServiceAddress: func(s corev1.ServiceSpec) []setting {
		return when(s.LoadBalancerIP != "", "spec.loadBalancerIP", s.LoadBalancerIP)
	},
	cloud.ServiceAppProtocol: func(s corev1.ServiceSpec) []setting {
		return ofPorts(s, "appProtocol", func(p corev1.ServicePort) (string, bool) {
			if p.AppProtocol == nil {
				return "", false
			}
			return *p.AppProtocol, *p.AppProtocol != ""
		})
	},
	cloud.ServiceExternalIPs: func(s corev1.ServiceSpec) []setting {
		return when(len(s.ExternalIPs) > 0, "spec.externalIPs", strings.Join(s.ExternalIPs, ","))
	},
	cloud.ServiceDistribution: func(s corev1.ServiceSpec) []setting {
		if s.TrafficDistribution == nil {
			return nil
		}
		return when(*s.TrafficDistribution != "", "spec.trafficDistribution", *s.TrafficDistribution)
	},
	cloud.ServiceNotReady: func(s corev1.ServiceSpec) []setting {
		return when(s.PublishNotReadyAddresses, "spec.publishNotReadyAddresses", "true")
	},
}

func when(set bool, path, value string) []setting {
	if !set {
		return nil
	}
	return []setting{{path, value}}
}

// ofPorts are the ports that have a field set.
func ofPorts(s corev1.ServiceSpec, name string, value func(corev1.ServicePort) (string, bool)) (all []setting) {
	for i, port := range s.Ports {
		if text, set := value(port); set {
			all = append(all, setting{fmt.Sprintf("spec.ports[%d].%s", i, name), text})
		}
	}
	return all
}

// Fields says which fields of a Service a cloud refuses, and which have no effect on its load balancers. See [cloud.Capabilities.Use].
func Fields(able cloud.Capabilities, svc *corev1.Service) (problems, warnings []problem.Warning) {
	for _, field := range cloud.ServiceFields() {
		read, readable := readers[field]
		if !readable {
			continue
		}
		settings, use := read(svc.Spec), able.Use(field)
		switch {
		case len(settings) == 0:
		case use.Handling == cloud.Ignored:
			warnings = append(warnings, problem.Warn(event.ConfigurationIgnored, places(settings)+": "+use.Note))
		case use.Handling == cloud.Others:
			warnings = append(warnings, problem.Warn(event.Unaffected, places(settings)+": "+use.Note))
		case use.Handling == cloud.Refused && field != cloud.ServiceNodePorts: // of which beyond knows the ports that are left out
			for _, s := range settings {
				problems = append(problems, problem.Invalid(s.path, s.value, use.Note))
			}
		}
	}
	return problems, warnings
}

// places names the first place, and says how many others there are.
func places(settings []setting) string {
	switch more := len(settings) - 1; more {
	case 0:
		return settings[0].path
	case 1:
		return settings[0].path + " and " + settings[1].path
	default:
		return fmt.Sprintf("%s and %d more", settings[0].path, more)
	}
}
