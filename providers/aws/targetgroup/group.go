// Package targetgroup reads and writes the target groups of Network Load Balancers, with what is registered in them.
package targetgroup

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/packetfilter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Group is a target group with what is in it.
type Group struct {
	types.TargetGroup
	Tags       map[string]string
	Attributes map[string]string
	// Targets are the ids registered and not on their way out: of instances, or addresses.
	Targets []string
	// serves says that one of them is healthy.
	serves bool
}

// Set is what was read of the target groups of one Service.
type Set struct {
	// Listed are all target groups there are, where there may be one of the Service.
	Listed []Group
	// Unused are those of the Service that no listener leads to.
	Unused []Group
	// taken are the names of all target groups there are.
	taken map[string]bool
	// Alive are the ARNs of all network balancers, nil where they were not listed.
	Alive map[string]bool
}

// IsMade reports whether a group behind a balancer of ours was made for it, by upstream or us, and
// is none of the user's.
func (gs *Groups) IsMade(g Group) bool {
	return g.TargetGroupArn != nil && g.isChild() && gs.Cluster.Has(g.Tags)
}

// isChild reports whether the name of the group is one that upstream and we give.
func (g Group) isChild() bool {
	return strings.HasPrefix(aws.ToString(g.TargetGroupName), tag.ChildPrefix)
}

// releases reports whether a group goes with the listener that leads to it. One that other balancers
// have too, or that is the user's, is left alone.
func (gs *Groups) releases(g Group) bool { return gs.IsMade(g) && len(g.LoadBalancerArns) <= 1 }

// suits reports whether the group can be what the listener leads to. AWS can't change its protocol,
// port and type. Protocol and interval of its health check are in its name (see groupName):
// upstream fails for ever where it finds another one under a name it is about to give.
func (g Group) suits(l cloud.Listener) bool {
	return g.TargetGroupArn != nil && string(g.Protocol) == string(l.TargetProtocol) && int(aws.ToInt32(g.Port)) == l.TargetPort &&
		string(g.TargetType) == l.ProviderFields[balancer.FieldTargetType] &&
		string(g.HealthCheckProtocol) == string(l.Health.Protocol) && int32(l.Health.Interval/time.Second) == aws.ToInt32(g.HealthCheckIntervalSeconds)
}

// Ref stands for the target group.
func (g Group) Ref() cloud.IDOf {
	return cloud.IDOf{Kind: kindTargetGroup, Key: aws.ToString(g.TargetGroupName)}
}

// attributeSticky is the attribute that keeps a client with its target.
const attributeSticky = "stickiness.enabled"

// groupAttributes are the attributes of target groups by their fields in the portable view.
var groupAttributes = map[string]string{
	option.AttributePreserve: balancer.FieldPreserve, option.AttributeProxy: balancer.FieldProxy, attributeSticky: balancer.FieldSticky,
}

// View returns the managed state of the group, as part of the listener that leads to it.
func (g Group) View() cloud.Listener {
	view := cloud.Listener{
		TargetProtocol: cloud.Protocol(g.Protocol), TargetPort: int(aws.ToInt32(g.Port)), Health: g.health(), Targets: []cloud.InstanceID{},
		ProviderFields: map[string]string{balancer.FieldTargetType: string(g.TargetType)},
	}
	for attribute, field := range groupAttributes {
		value, known := g.Attributes[attribute]
		preserves := !known && attribute == option.AttributePreserve && desired.PreservesByDefault(string(g.TargetType), view.TargetProtocol)
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

// recall takes attributes and targets from what was known of the listener that leads to the group, and of the targets of
// all listeners. It reports false where that was about another group, or does not say which addresses are
// registered.
func (g *Group) recall(was cloud.Listener, all []cloud.InstanceID) bool {
	is := g.View()
	const kind = balancer.FieldTargetType
	addresses := !slices.ContainsFunc(was.Targets, func(id cloud.InstanceID) bool { return !id.Unknown() })
	known := g.TargetType == types.TargetTypeEnumInstance || was.Targets != nil && addresses
	if !known || is.TargetProtocol != was.TargetProtocol || is.TargetPort != was.TargetPort || is.ProviderFields[kind] != was.ProviderFields[kind] {
		return false
	}
	if was.Targets != nil {
		all = was.Targets
	}
	g.Attributes = map[string]string{}
	for attribute, field := range groupAttributes {
		g.Attributes[attribute] = was.ProviderFields[field]
	}
	for _, id := range all {
		g.Targets = append(g.Targets, id.Address()) // or the id
	}
	slices.Sort(g.Targets)
	return true
}

// Checking are the ARNs of the balancers of which a target group has its health check on the rule's port.
func Checking(groups []Group, r packetfilter.Rule) (balancers []string) {
	for _, g := range groups {
		port := aws.ToString(g.HealthCheckPort)
		if port == option.TrafficPort {
			port = strconv.Itoa(int(aws.ToInt32(g.Port)))
		}
		if r.Protocol == cloud.ProtocolTCP && port == strconv.Itoa(r.From) {
			balancers = append(balancers, g.LoadBalancerArns...)
		}
	}
	return balancers
}

// IsServed reports whether one of the targets of the group is healthy, if it has any.
func (g Group) IsServed() bool { return len(g.Targets) == 0 || g.serves }
