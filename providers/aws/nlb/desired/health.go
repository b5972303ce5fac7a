package desired

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// health returns the health check of a port:
//
//	Service                     protocol  port                  path      interval  thresholds
//	externalTrafficPolicy Local HTTP      healthCheckNodePort   /healthz  10 s      2, 2
//	else, Shared mode           HTTP      of the configuration  as well   30 s      3, 3
//	else, TCP                   TCP       of the traffic        –         30 s      3, 3
//	else, UDP                   HTTP      kube-proxy's          /healthz  30 s      3, 3
//
// Annotations change each of these, in the Shared mode only interval, timeout and thresholds. The
// portable ones ask for a check of the Service's own, in every mode; interval and thresholds stay.
// Upstream checks UDP with TCP on the node port, which never answers.
func (w *builder) health(port cloud.Port) *cloud.Health {
	options, probe := w.input.Options, w.Probe
	h := &cloud.Health{Protocol: cloud.ProtocolTCP}
	own, err := annotation.OwnCheck(w.input.Spec)
	w.fail(err)
	switch {
	case own != nil:
		h = own
	case !w.input.Local && probe != nil:
		h = &cloud.Health{Protocol: cloud.ProtocolHTTP, Port: probe.Port, Path: probe.Path}
		w.sharedIgnores()
	default:
		if w.input.Local || w.asksProxy(port) {
			*h = balancer.ProxyCheck(w.input.Spec)
		}
		balancer.Adjust(h, options, 0)
		if h.Protocol == "SSL" {
			w.refuse(option.HealthProtocol.Name, string(h.Protocol), "network balancers check with TCP, HTTP or HTTPS")
		}
	}
	if h.Interval, h.Healthy, h.Unhealthy = 30*time.Second, 3, 3; w.input.Local {
		h.Interval, h.Healthy, h.Unhealthy = 10*time.Second, 2, 2
	}
	balancer.Repeat(h, options)
	h.Timeout = min(defaultTimeout(h.Protocol), h.Interval)
	if option.Timeout.Has(options) {
		h.Timeout = option.Timeout.Duration(options)
		if h.Timeout > h.Interval {
			w.refuse(option.Timeout.Name, option.Timeout.In(options), "a check may not take longer than the interval of "+h.Interval.String())
		}
	}
	return h
}

// asksProxy reports whether kube-proxy is asked for a port that can't be checked itself.
func (w *builder) asksProxy(port cloud.Port) bool {
	if port.Protocol != cloud.ProtocolUDP || option.HealthPort.Has(w.input.Options) || option.HealthProtocol.Has(w.input.Options) {
		return false
	}
	now, exists := w.present.At(port.Port)
	return !w.holds(partUDP, "", "spec.ports", exists && now.Check == string(cloud.ProtocolTCP))
}

// defaultTimeout is AWS's default (CreateTargetGroup, HealthCheckTimeoutSeconds).
func defaultTimeout(p cloud.Protocol) time.Duration {
	if p == cloud.ProtocolHTTP {
		return 6 * time.Second
	}
	return 10 * time.Second
}

// sharedIgnores notes which annotations the Shared mode overrules, as upstream's does.
func (w *builder) sharedIgnores() {
	for _, key := range []string{option.HealthProtocol.Name, option.HealthPort.Name, option.HealthPath.Name} {
		if w.input.Options[key] != "" {
			w.note(key, "ClusterServiceLoadBalancerHealthProbeMode=Shared of the configuration stands above it")
		}
	}
}
