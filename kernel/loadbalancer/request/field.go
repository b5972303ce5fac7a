package request

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

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
