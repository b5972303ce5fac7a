package targetgroup

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// Preserves reports whether the targets see the clients' addresses. It is so by default, but not
// for TCP and TLS to targets that are addresses (API reference of TargetGroupAttribute).
func (g Group) Preserves() bool {
	if value, known := g.Attributes[option.AttributePreserve]; known {
		return value == "true"
	}
	return PreservesByDefault(string(g.TargetType), cloud.Protocol(g.Protocol))
}

// PreservesByDefault reports whether targets see the clients' addresses where nothing is said of it.
func PreservesByDefault(targetType string, p cloud.Protocol) bool {
	return targetType == option.TargetInstance || p == cloud.ProtocolUDP || p == ProtocolBoth
}

// Health returns the health check; its port is 0 where it is the one of the traffic.
func (g Group) Health() *cloud.Health {
	port, _ := strconv.Atoi(aws.ToString(g.HealthCheckPort))
	h := &cloud.Health{
		Protocol: cloud.Protocol(g.HealthCheckProtocol), Port: port,
		Interval: time.Duration(aws.ToInt32(g.HealthCheckIntervalSeconds)) * time.Second,
		Timeout:  time.Duration(aws.ToInt32(g.HealthCheckTimeoutSeconds)) * time.Second,
		Healthy:  int(aws.ToInt32(g.HealthyThresholdCount)), Unhealthy: int(aws.ToInt32(g.UnhealthyThresholdCount)),
	}
	if balancer.AsksForPath(h.Protocol) {
		h.Path = aws.ToString(g.HealthCheckPath)
	}
	return h
}

// AttributeSticky is the attribute that keeps a client with its target.
const AttributeSticky = "stickiness.enabled"

// ProtocolBoth is the protocol of a listener that takes TCP and UDP on one port.
const ProtocolBoth cloud.Protocol = "TCP_UDP"
