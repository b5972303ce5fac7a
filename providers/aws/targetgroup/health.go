package targetgroup

import (
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// PreservesByDefault reports whether targets see the clients' addresses where nothing is said of it: but for TCP and TLS to
// targets that are addresses (API reference of TargetGroupAttribute).
func PreservesByDefault(targetType string, p cloud.Protocol) bool {
	return targetType == option.TargetInstance || p == cloud.ProtocolUDP || p == ProtocolBoth
}

// attributeFields are the attributes of target groups by their fields in the portable view.
var attributeFields = map[string]string{
	option.AttributePreserve: balancer.FieldPreserve, option.AttributeProxy: balancer.FieldProxy, AttributeSticky: balancer.FieldSticky,
}

// View returns the managed state of the group, as part of the listener that leads to it.
func (g Group) View() cloud.Listener {
	view := cloud.Listener{
		TargetProtocol: cloud.Protocol(g.Protocol), TargetPort: int(aws.ToInt32(g.Port)), Health: g.Health(), Targets: []cloud.InstanceID{},
		ProviderFields: map[string]string{balancer.FieldTargetType: string(g.TargetType)},
	}
	for attribute, field := range attributeFields {
		value, known := g.Attributes[attribute]
		preserves := !known && attribute == option.AttributePreserve && PreservesByDefault(string(g.TargetType), view.TargetProtocol)
		view.ProviderFields[field] = strconv.FormatBool(value == "true" || preserves)
	}
	for _, id := range g.Targets {
		if g.TargetType == types.TargetTypeEnumIp {
			view.Targets = append(view.Targets, cloud.UnknownInstance(id))
		} else {
			view.Targets = append(view.Targets, cloud.InstanceID(id))
		}
	}
	slices.Sort(view.Targets)
	return view
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
