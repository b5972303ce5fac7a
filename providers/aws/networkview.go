package aws

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// protocolBoth is the protocol of a listener that takes TCP and UDP on one port.
const protocolBoth cloud.Protocol = "TCP_UDP"

// Managed fields of a listener of a network balancer, see cloud.Listener.ProviderFields.
const (
	fieldCertificates = "certificates" // ARNs, the default one first
	fieldTLSPolicy    = "tlsPolicy"
	fieldTargetType   = "targetType"
	fieldPreserve     = "preserveClientIP"
	fieldProxy        = "proxyProtocol"
	fieldSticky       = "stickiness"
)

// Attributes of network balancers and target groups.
const (
	attributeCrossZone  = "load_balancing.cross_zone.enabled"
	attributeProtection = "deletion_protection.enabled"
	attributeLog        = "access_logs.s3.enabled"
	attributeLogBucket  = "access_logs.s3.bucket"
	attributeLogPrefix  = "access_logs.s3.prefix"
	attributeSticky     = "stickiness.enabled"
)

// viewNetwork returns the managed state of a network balancer.
func (d *Driver) viewNetwork(s *snapshot, spec cloud.Spec) cloud.Balancer {
	lb := s.network
	b := cloud.Balancer{
		Name: awssdk.ToString(lb.LoadBalancerName), Scope: lb.scope(), DualStack: lb.dualStack(),
		OwnershipTags: d.config.Cluster.ObservedMarks(lb.tags),
		ProviderFields: map[string]string{
			fieldType: kindNetwork, fieldSubnets: placesText(lb.subnets(), lb.addressOf),
			fieldGroups: d.groupsText(s, spec), fieldTags: tag.Observed(lb.tags, spec),
		},
	}
	for field, attribute := range map[string]string{fieldCrossZone: attributeCrossZone, fieldProtection: attributeProtection, fieldLog: attributeLog} {
		b.ProviderFields[field] = strconv.FormatBool(lb.attributes[attribute] == "true")
	}
	if b.ProviderFields[fieldLog] == "true" {
		b.ProviderFields[fieldLogBucket], b.ProviderFields[fieldLogPrefix] = lb.attributes[attributeLogBucket], lb.attributes[attributeLogPrefix]
	}
	targets := map[cloud.InstanceID]bool{}
	for _, l := range lb.listeners {
		seen := l.view()
		b.Listeners = append(b.Listeners, seen)
		for _, id := range seen.Targets {
			targets[id] = true
		}
	}
	cloud.SortListeners(b.Listeners)
	b.Targets = slices.Sorted(maps.Keys(targets))
	d.viewRules(s, spec, &b)
	if spares := s.spareNames(); spares != "" && lb.served() {
		b.ProviderFields[fieldSpares] = spares
	}
	return b
}

// spareNames are the names of target groups that no listener leads to, sorted.
func (s *snapshot) spareNames() string {
	var names []string
	for _, g := range s.unused {
		names = append(names, awssdk.ToString(g.TargetGroupName))
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// groupsText returns the security groups as in fieldGroups. Whose they are does not matter where
// neither the Service nor the configuration says anything of them.
func (d *Driver) groupsText(s *snapshot, spec cloud.Spec) string {
	ids := slices.Clone(s.network.SecurityGroups)
	own, has := d.ownOf(s, spec)
	for i, id := range ids {
		if has && id == awssdk.ToString(own.GroupId) {
			ids[i] = ownGroup
		}
	}
	return sortedList(ids)
}

// ownOf returns the security group that was made for the network balancer, if it has it.
func (d *Driver) ownOf(s *snapshot, spec cloud.Spec) (ec2types.SecurityGroup, bool) {
	own, exists := d.guardIn(s.area, spec)
	return own, exists && slices.Contains(s.network.SecurityGroups, awssdk.ToString(own.GroupId))
}

// guardIn returns the security group that was made for the Service's network balancer, if there is
// one with the cluster's tag.
func (d *Driver) guardIn(a *vpc.Inventory, spec cloud.Spec) (ec2types.SecurityGroup, bool) {
	own, exists := secgroup.NetworkName(d.clusterName, spec.Ref.Owner).In(a)
	return own, exists && d.groups.IsOurs(own, spec.Ref.Owner)
}

// viewRules reads from the security groups who may connect, and how they differ from what the
// balancer, as it is, needs.
func (d *Driver) viewRules(s *snapshot, spec cloud.Spec, b *cloud.Balancer) {
	own, guarded := d.ownOf(s, spec)
	machines := registered(spec.Candidates, *b)
	groups := d.groups.NodeGroups(s.area, machines)
	watched := !d.config.Balancer.LeaveNodeGroups && len(groups) > 0
	switch {
	case guarded:
		b.Allow = secgroup.Ingress(own).Sources()
		b.ProviderFields[fieldIngress] = secgroup.Ingress(own).Drift(guardRules(*b))
	case watched:
		b.Allow = d.admitted(s, spec, *b, groups)
	default:
		b.Allow = allowOf(spec, b.DualStack)
	}
	if _, exists := d.guardIn(s.area, spec); exists && !guarded {
		b.ProviderFields[fieldIngress] = "a security group that it does not have"
	}
	if watched {
		needs := d.needsOf(s, b.Name, *b, machines, s.network.subnets())
		b.ProviderFields[fieldNodeIngress] = needs.Drift(s.area, doubtful(spec.Candidates, *b))
	}
}

// admitted are the clients that the nodes' security groups let in: of those that are wanted the
// ones with all the rules they need, and the others with any rule that was made for this balancer.
func (d *Driver) admitted(s *snapshot, spec cloud.Spec, b cloud.Balancer, groups []string) []string {
	var allow []string
	kept := cloud.Balancer{Listeners: slices.DeleteFunc(slices.Clone(b.Listeners), func(l cloud.Listener) bool { return l.ProviderFields[fieldPreserve] != "true" })}
	wanted := allowOf(spec, b.DualStack)
	for _, source := range wanted {
		kept.Allow = []string{source}
		needs := networkNeeds(b.Name, kept, nil, groups)
		complete := !slices.ContainsFunc(groups, func(id string) bool {
			return len(needs.Rules.Without(secgroup.Ingress(s.area.Groups[id]))) > 0
		})
		if complete {
			allow = append(allow, source)
		}
	}
	for _, id := range groups {
		for r, description := range secgroup.Ingress(s.area.Groups[id]) {
			if description == ruleClient+b.Name && !slices.Contains(wanted, r.Source) {
				allow = append(allow, r.Source)
			}
		}
	}
	slices.Sort(allow)
	return slices.Compact(allow)
}

// targetsOf returns the candidates that are among the targets.
func targetsOf(candidates []cloud.Target, targets []cloud.InstanceID) []cloud.Target {
	return slices.DeleteFunc(slices.Clone(candidates), func(c cloud.Target) bool { return !slices.Contains(targets, c.InstanceID) })
}

// registered returns the candidates that are among the balancer's targets.
func registered(candidates []cloud.Target, b cloud.Balancer) []cloud.Target {
	return slices.DeleteFunc(slices.Clone(candidates), func(c cloud.Target) bool {
		return !slices.ContainsFunc(b.Targets, func(id cloud.InstanceID) bool { return isOf(id, c) })
	})
}

// doubtful reports whether a target is none of the candidates.
func doubtful(candidates []cloud.Target, b cloud.Balancer) bool {
	return slices.ContainsFunc(b.Targets, func(id cloud.InstanceID) bool {
		return !slices.ContainsFunc(candidates, func(c cloud.Target) bool { return isOf(id, c) })
	})
}

// isOf reports whether a target is the machine, by id or by one of its addresses.
func isOf(id cloud.InstanceID, c cloud.Target) bool {
	return id == c.InstanceID || id.Unknown() && slices.ContainsFunc(c.Addresses, func(a cloud.Address) bool { return a.Address == id.Address() })
}

// view returns the managed state of a listener and its target group.
func (l networkListener) view() cloud.Listener {
	g := l.group
	view := cloud.Listener{
		Protocol: cloud.Protocol(l.Protocol), Port: int(awssdk.ToInt32(l.Port)),
		TargetProtocol: cloud.Protocol(g.Protocol), TargetPort: int(awssdk.ToInt32(g.Port)),
		Health: g.health(), Targets: []cloud.InstanceID{},
		ProviderFields: map[string]string{
			fieldTargetType: string(g.TargetType), fieldSticky: strconv.FormatBool(g.attributes[attributeSticky] == "true"),
			fieldPreserve: strconv.FormatBool(g.preserves()), fieldProxy: strconv.FormatBool(g.attributes[option.AttributeProxy] == "true"),
		},
	}
	for _, id := range g.targets {
		if g.TargetType == elbtypes.TargetTypeEnumIp {
			view.Targets = append(view.Targets, cloud.UnknownInstance(id))
		} else {
			view.Targets = append(view.Targets, cloud.InstanceID(id))
		}
	}
	slices.Sort(view.Targets)
	if l.Protocol == elbtypes.ProtocolEnumTls {
		view.ProviderFields[fieldCertificates] = strings.Join(append([]string{l.certificate()}, l.extra...), ",")
		view.ProviderFields[fieldTLSPolicy] = awssdk.ToString(l.SslPolicy)
	}
	return view
}

// preserves reports whether the targets see the clients' addresses. It is so by default, but not
// for TCP and TLS to targets that are addresses (API reference of TargetGroupAttribute).
func (g targetGroup) preserves() bool {
	if value, known := g.attributes[option.AttributePreserve]; known {
		return value == "true"
	}
	return preservesByDefault(string(g.TargetType), cloud.Protocol(g.Protocol))
}

func preservesByDefault(targetType string, p cloud.Protocol) bool {
	return targetType == option.TargetInstance || p == cloud.ProtocolUDP || p == protocolBoth
}

// health returns the health check; its port is 0 where it is the one of the traffic.
func (g targetGroup) health() *cloud.Health {
	port, _ := strconv.Atoi(awssdk.ToString(g.HealthCheckPort))
	h := &cloud.Health{
		Protocol: cloud.Protocol(g.HealthCheckProtocol), Port: port,
		Interval: time.Duration(awssdk.ToInt32(g.HealthCheckIntervalSeconds)) * time.Second,
		Timeout:  time.Duration(awssdk.ToInt32(g.HealthCheckTimeoutSeconds)) * time.Second,
		Healthy:  int(awssdk.ToInt32(g.HealthyThresholdCount)), Unhealthy: int(awssdk.ToInt32(g.UnhealthyThresholdCount)),
	}
	if asksForPath(h.Protocol) {
		h.Path = awssdk.ToString(g.HealthCheckPath)
	}
	return h
}
