package balancer

import (
	"cmp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// AsksForPath reports whether health checks with the protocol have a path.
func AsksForPath(p cloud.Protocol) bool { return p == cloud.ProtocolHTTP || p == cloud.ProtocolHTTPS }

// Seconds is a time as AWS takes it.
func Seconds(d time.Duration) *int32 { return aws.Int32(int32(d / time.Second)) }

// ProxyCheck asks kube-proxy, or who stands in for it, whether a node is healthy.
func ProxyCheck(spec cloud.Spec) cloud.Health {
	return cloud.Health{Protocol: cloud.ProtocolHTTP, Port: spec.HealthPort, Path: "/healthz"}
}

// Adjust sets protocol, port and path of a health check as upstream's annotations say. Traffic stands for the port of the
// traffic.
func Adjust(h *cloud.Health, options map[string]string, traffic int) {
	h.Protocol = cmp.Or(cloud.Protocol(option.HealthProtocol.In(options)), h.Protocol)
	if h.Path = cmp.Or(option.HealthPath.In(options), h.Path, "/"); !AsksForPath(h.Protocol) {
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
