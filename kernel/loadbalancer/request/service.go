package request

import (
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
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
