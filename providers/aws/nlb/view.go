package nlb

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// view returns the managed state of a network balancer.
func (n *Balancers) view(s *Snapshot, in cloud.Input) cloud.Balancer {
	lb := s.Balancer
	b := cloud.Balancer{
		Name: aws.ToString(lb.LoadBalancerName), Scope: lb.Scope(), DualStack: lb.dualStack(),
		OwnershipTags: n.Cluster.ObservedOwnershipTags(lb.Tags),
		ProviderFields: map[string]string{
			balancer.FieldType: balancer.KindNetwork, balancer.FieldSubnets: desired.PlacesText(lb.Subnets(), lb.addressOf),
			balancer.FieldGroups: n.groupsText(s, in.Spec), balancer.FieldTags: tag.Observed(lb.Tags, in.Spec),
		},
	}
	for attribute, field := range attributeFields {
		switch logs := lb.attributes[attributeLog.Name()] == "true"; {
		case lb.attributes == nil: // they were not read
		case field != balancer.FieldLogBucket && field != balancer.FieldLogPrefix:
			b.ProviderFields[field] = strconv.FormatBool(lb.attributes[attribute.Name()] == "true")
		case logs: // they are managed only while the log is on
			b.ProviderFields[field] = lb.attributes[attribute.Name()]
		}
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
	b.Allow = n.allowed(s, in, b)
	return b
}

// attachedGroup returns the security group that was made for the network balancer, if it has it.
func (n *Balancers) attachedGroup(s *Snapshot, spec cloud.Spec) (ec2types.SecurityGroup, bool) {
	own, exists := n.Security.OfNetwork(s.Inventory, spec.Owner)
	return own, exists && slices.Contains(s.Balancer.SecurityGroups, aws.ToString(own.GroupId))
}

// allowed says who may connect, by the rules of security groups.
func (n *Balancers) allowed(s *Snapshot, in cloud.Input, b cloud.Balancer) []string {
	if own, attached := n.attachedGroup(s, in.Spec); attached {
		return secgroup.Ingress(own).Peers()
	}
	behind, _ := balancer.Behind(in.Candidates, b)
	groups := n.Security.NodeGroups(s.Inventory, behind)
	if n.LeaveNodeGroups || len(groups) == 0 {
		return balancer.Allow(in.Spec, b.DualStack)
	}
	return n.admitted(s, in.Spec, b, groups)
}

// admitted are the clients that the nodes' security groups let in: of those that are wanted the
// ones with all the rules they need, and the others with any rule that was made for this balancer.
func (n *Balancers) admitted(s *Snapshot, spec cloud.Spec, b cloud.Balancer, groups []string) []string {
	var allow []string
	kept := cloud.Balancer{Listeners: slices.DeleteFunc(slices.Clone(b.Listeners), func(l cloud.Listener) bool { return l.ProviderFields[balancer.FieldPreserve] != "true" })}
	wanted := balancer.Allow(spec, b.DualStack)
	for _, source := range wanted {
		kept.Allow = []string{source}
		needs := nodeNeeds(b.Name, kept, nil, groups)
		complete := !slices.ContainsFunc(groups, func(id string) bool {
			return len(needs.Rules.Without(secgroup.Ingress(s.Inventory.Groups[id]))) > 0
		})
		if complete {
			allow = append(allow, source)
		}
	}
	for _, id := range groups {
		for r, attributes := range secgroup.Ingress(s.Inventory.Groups[id]) {
			if source := r.Peer.String(); attributes.Description == ruleClient+b.Name && !slices.Contains(wanted, source) {
				allow = append(allow, source)
			}
		}
	}
	slices.Sort(allow)
	return slices.Compact(allow)
}

// groupsText returns the security groups as in balancer.FieldGroups. Whose they are does not matter where
// neither the Service nor the configuration says anything of them.
func (n *Balancers) groupsText(s *Snapshot, spec cloud.Spec) string {
	ownID := ""
	if own, attached := n.attachedGroup(s, spec); attached {
		ownID = aws.ToString(own.GroupId)
	}
	return balancer.GroupsText(s.Balancer.SecurityGroups, ownID)
}

// view returns the managed state of a listener and its target group.
func (l Listener) view() cloud.Listener {
	certificates, view := l.certificates(), l.group.View()
	view.Protocol, view.Port = cloud.Protocol(l.Protocol), int(aws.ToInt32(l.Port))
	if l.idle != "" {
		view.ProviderFields[balancer.FieldIdleTimeout] = l.idle
	}
	if l.Protocol == types.ProtocolEnumTls {
		view.ProviderFields[balancer.FieldCertificates] = strings.Join(certificates, ",")
		view.ProviderFields[balancer.FieldTLSPolicy] = aws.ToString(l.SslPolicy)
	}
	return view
}

// certificates are the ARNs of all certificates, the default one first.
func (l Listener) certificates() []string { return append([]string{l.certificate()}, l.extra...) }

// certificate is the ARN of the default certificate.
func (l Listener) certificate() string {
	for _, c := range l.Certificates {
		if arn := aws.ToString(c.CertificateArn); arn != "" {
			return arn
		}
	}
	return ""
}

// leadsTo returns the ARN of the target group the listener forwards to.
func (l Listener) leadsTo() string {
	for _, action := range l.DefaultActions {
		if arn := aws.ToString(action.TargetGroupArn); arn != "" {
			return arn
		}
		if action.ForwardConfig != nil && len(action.ForwardConfig.TargetGroups) > 0 {
			return aws.ToString(action.ForwardConfig.TargetGroups[0].TargetGroupArn)
		}
	}
	return ""
}

// Describe says what the network balancer looks like.
func (n *Balancers) Describe(s *Snapshot, spec cloud.Spec) *balancer.Network {
	lb := s.Balancer
	found := &balancer.Network{
		Places: map[string]string{}, Groups: n.groupsText(s, spec), DualStack: lb.dualStack(),
		Foreign: tag.OwnershipTags.Owner(lb.Tags).UID == "", Held: lb.Tags[tag.Held], Timed: lb.Tags[tag.Timed] != "",
	}
	for _, id := range lb.Subnets() {
		found.Places[id] = lb.addressOf(id)
	}
	for _, l := range lb.listeners {
		if l.group.TargetGroupArn != nil {
			found.Listeners = append(found.Listeners, balancer.Listener{
				Port: int(aws.ToInt32(l.Port)), TargetType: string(l.group.TargetType), Check: string(l.group.HealthCheckProtocol),
			})
		}
	}
	slices.SortStableFunc(found.Listeners, func(a, b balancer.Listener) int { return cmp.Compare(strconv.Itoa(a.Port), strconv.Itoa(b.Port)) })
	return found
}
