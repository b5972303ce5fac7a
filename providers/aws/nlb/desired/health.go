package desired

import (
	"strconv"
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
	options, probe := w.spec.Options, w.Balancer.Probe
	h := &cloud.Health{Protocol: cloud.ProtocolTCP, Interval: 30 * time.Second, Healthy: 3, Unhealthy: 3}
	shared := false
	own, err := annotation.OwnCheck(w.spec)
	w.fail(err)
	if w.spec.Local {
		h.Interval, h.Healthy, h.Unhealthy = 10*time.Second, 2, 2
	}
	switch {
	case own != nil:
		h.Protocol, h.Port, h.Path = own.Protocol, own.Port, own.Path
	case w.spec.Local:
		h.Protocol, h.Port, h.Path = cloud.ProtocolHTTP, w.spec.HealthPort, balancer.HealthPath
	case probe != nil:
		h.Protocol, h.Port, h.Path, shared = cloud.ProtocolHTTP, probe.Port, probe.Path, true
	case w.asksProxy(port):
		h.Protocol, h.Port, h.Path = cloud.ProtocolHTTP, w.spec.HealthPort, balancer.HealthPath
	}
	switch {
	case shared:
		w.sharedIgnores()
	case own == nil:
		w.adjust(h)
	}
	if option.Interval.Has(options) {
		h.Interval = option.Interval.Duration(options)
	}
	if option.Healthy.Has(options) {
		h.Healthy = option.Healthy.Int(options)
	}
	if option.Unhealthy.Has(options) {
		h.Unhealthy = option.Unhealthy.Int(options)
	}
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
	if port.Protocol != cloud.ProtocolUDP || option.HealthPort.Has(w.spec.Options) || option.HealthProtocol.Has(w.spec.Options) {
		return false
	}
	now, exists := w.presentAt(port.Port)
	return !w.holds(partUDP, "", "spec.ports", exists && now.check == string(cloud.ProtocolTCP))
}

// defaultTimeout is AWS's default (CreateTargetGroup, HealthCheckTimeoutSeconds).
func defaultTimeout(p cloud.Protocol) time.Duration {
	if p == cloud.ProtocolHTTP {
		return 6 * time.Second
	}
	return 10 * time.Second
}

// adjust sets protocol, port and path as the annotations say.
func (w *builder) adjust(h *cloud.Health) {
	options := w.spec.Options
	if text := option.HealthProtocol.In(options); text != "" {
		if h.Protocol = cloud.Protocol(text); text == "SSL" {
			w.refuse(option.HealthProtocol.Name, text, "network balancers check with TCP, HTTP or HTTPS")
		}
	}
	switch text := option.HealthPort.In(options); text {
	case "":
	case option.TrafficPort:
		h.Port = 0
	default:
		h.Port, _ = strconv.Atoi(text)
	}
	switch path := option.HealthPath.In(options); {
	case !balancer.AsksForPath(h.Protocol):
		h.Path = ""
	case path != "":
		h.Path = path
	case h.Path == "":
		h.Path = "/"
	}
}

// sharedIgnores notes which annotations the Shared mode overrules, as upstream's does.
func (w *builder) sharedIgnores() {
	for _, key := range []string{option.HealthProtocol.Name, option.HealthPort.Name, option.HealthPath.Name} {
		if w.spec.Options[key] != "" {
			w.note(key, "ClusterServiceLoadBalancerHealthProbeMode=Shared of the configuration stands above it")
		}
	}
}
