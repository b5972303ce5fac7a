package firewall

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// proxyHealthPort is where kube-proxy answers GET /healthz.
const proxyHealthPort = 10256

// held returns the part of the present openings that a Service may be the reason for: those
// on its ports. It is for a Service whose needs cannot be found out, so that a typing error in
// an annotation or a failed call does not cut its traffic off.
func held(svc *corev1.Service, present []cloud.Opening) []cloud.Opening {
	var kept []cloud.Opening
	keep := func(protocol cloud.Protocol, port int32) {
		for _, o := range present {
			if port > 0 && o.Protocol == protocol && o.From <= int(port) && int(port) <= o.To {
				o.From, o.To = int(port), int(port)
				kept = append(kept, o)
			}
		}
	}
	for _, port := range svc.Spec.Ports {
		keep(protocolOf(port), port.Port)
		keep(protocolOf(port), port.NodePort)
		// A health check may be TCP to the node port of a UDP one.
		keep(cloud.ProtocolTCP, port.NodePort)
	}
	keep(cloud.ProtocolTCP, svc.Spec.HealthCheckNodePort)
	keep(cloud.ProtocolTCP, proxyHealthPort)
	return kept
}
