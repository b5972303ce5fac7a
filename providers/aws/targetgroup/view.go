package targetgroup

import (
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// attributeSticky is the attribute that keeps a client with its target.
var attributeSticky = cloud.NewField[string]("stickiness.enabled")

// groupAttributes are the attributes of target groups by their fields in the portable view.
var groupAttributes = map[cloud.Field[string]]string{
	cloud.NewField[string](option.AttributePreserve): balancer.FieldPreserve, cloud.NewField[string](option.AttributeProxy): balancer.FieldProxy,
	attributeSticky: balancer.FieldSticky,
}

// View returns the managed state of the group, as part of the listener that leads to it.
func (g Group) View() cloud.Listener {
	view := cloud.Listener{
		TargetProtocol: cloud.Protocol(g.Protocol), TargetPort: int(aws.ToInt32(g.Port)), Health: g.health(), Targets: []cloud.InstanceID{},
		ProviderFields: map[string]string{balancer.FieldTargetType: string(g.TargetType)},
	}
	for attribute, field := range groupAttributes {
		value, known := g.Attributes[attribute.Name()]
		preserves := !known && field == balancer.FieldPreserve && desired.PreservesByDefault(string(g.TargetType), view.TargetProtocol)
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

// health returns the health check; its port is 0 where it is the one of the traffic.
func (g Group) health() *cloud.Health {
	port, _ := strconv.Atoi(aws.ToString(g.HealthCheckPort))
	h := &cloud.Health{
		Protocol: cloud.Protocol(g.HealthCheckProtocol), Port: port,
		Interval: time.Duration(aws.ToInt32(g.HealthCheckIntervalSeconds)) * time.Second,
		Timeout:  time.Duration(aws.ToInt32(g.HealthCheckTimeoutSeconds)) * time.Second,
		Healthy:  int(aws.ToInt32(g.HealthyThresholdCount)), Unhealthy: int(aws.ToInt32(g.UnhealthyThresholdCount)),
	}
	h.Path = annotation.CheckPath(h.Protocol, aws.ToString(g.HealthCheckPath))
	return h
}
