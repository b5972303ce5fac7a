package nlb

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Balancer is a Network Load Balancer and all that belongs to it.
type Balancer struct {
	types.LoadBalancer
	Tags       map[string]string
	attributes map[string]string
	listeners  []Listener
}

// Listener is a listener with the target group it leads to.
type Listener struct {
	types.Listener
	// extra are the certificates besides the default one, sorted.
	extra []string
	group targetgroup.Group
	// idle is its idle timeout in seconds, "" where nobody asked for it.
	idle string
	// was is what the last look knew of it, nil for nothing.
	was *cloud.Listener
}

// Scope says who can reach the balancer.
func (lb *Balancer) Scope() cloud.Scope {
	return cloud.ScopeOf(lb.Scheme == types.LoadBalancerSchemeEnumInternal)
}

func (lb *Balancer) dualStack() bool {
	return lb.IpAddressType == types.IpAddressTypeDualstack
}

// Subnets are the ids of its subnets, sorted.
func (lb *Balancer) Subnets() []string {
	var ids []string
	for _, zone := range lb.AvailabilityZones {
		ids = append(ids, aws.ToString(zone.SubnetId))
	}
	slices.Sort(ids)
	return ids
}

// addressOf returns the address that was asked for in a subnet: an allocation id or a private
// address, "" when AWS chose.
func (lb *Balancer) addressOf(subnet string) string {
	for _, zone := range lb.AvailabilityZones {
		if aws.ToString(zone.SubnetId) != subnet {
			continue
		}
		for _, address := range zone.LoadBalancerAddresses {
			if id := aws.ToString(address.AllocationId); id != "" {
				return id
			}
			if ip := aws.ToString(address.PrivateIPv4Address); ip != "" {
				return ip
			}
		}
	}
	return ""
}

// Find returns the balancer with that name or ARN, without its tags, nil when there is none.
func (n *Balancers) Find(ctx context.Context, id string) (*Balancer, error) {
	found, _, err := n.describe(ctx, id)
	if failure.Is(err, targetgroup.CodeNoBalancer) || len(found) == 0 {
		return nil, failure.Ignore(err, targetgroup.CodeNoBalancer)
	}
	return &found[0], err
}

// List returns all network balancers of the VPC with their tags, and the names of all load balancers of
// the region but classic ones.
func (n *Balancers) List(ctx context.Context) (list []Balancer, names []string, err error) {
	if list, names, err = n.describe(ctx, ""); err != nil {
		return nil, nil, err
	}
	var arns []string
	for _, lb := range list {
		arns = append(arns, aws.ToString(lb.LoadBalancerArn))
	}
	tags, err := n.Targets.Tags(ctx, arns)
	for i := range list {
		list[i].Tags = tags[arns[i]]
	}
	return list, names, err
}

// describe returns the network balancer of the VPC with that name or ARN, all for "", and the names of all load
// balancers that were read.
func (n *Balancers) describe(ctx context.Context, id string) (list []Balancer, names []string, err error) {
	input := &sdk.DescribeLoadBalancersInput{}
	switch {
	case id == "":
		input.PageSize = aws.Int32(targetgroup.PageSize)
	case balancer.KindOf(id) == balancer.KindNetwork:
		input.LoadBalancerArns = []string{id}
	default:
		input.Names = []string{id}
	}
	found, err := filter.All(func(page *string) (*sdk.DescribeLoadBalancersOutput, error) {
		input.Marker = page
		return n.Client.DescribeLoadBalancers(ctx, input)
	}, func(o *sdk.DescribeLoadBalancersOutput) ([]types.LoadBalancer, *string) {
		return o.LoadBalancers, o.NextMarker
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reading the network load balancers: %w", err)
	}
	for _, lb := range found {
		names = append(names, aws.ToString(lb.LoadBalancerName))
		if lb.Type == types.LoadBalancerTypeEnumNetwork && aws.ToString(lb.VpcId) == n.Cluster.VPC {
			list = append(list, Balancer{LoadBalancer: lb})
		}
	}
	return list, names, nil
}

// complete reads what is in a network balancer: attributes, listeners and their target groups,
// of which all are listed. What the last look knew of these parts is not asked for.
func (n *Balancers) complete(ctx context.Context, lb *Balancer, groups []targetgroup.Group, spec cloud.Spec, known *cloud.Balancer) error {
	if err := n.readAttributes(ctx, lb, known); err != nil {
		return err
	}
	listeners, err := filter.All(func(page *string) (*sdk.DescribeListenersOutput, error) {
		return n.Client.DescribeListeners(ctx, &sdk.DescribeListenersInput{LoadBalancerArn: lb.LoadBalancerArn, Marker: page})
	}, func(o *sdk.DescribeListenersOutput) ([]types.Listener, *string) { return o.Listeners, o.NextMarker })
	if err != nil {
		return fmt.Errorf("reading the listeners: %w", err)
	}
	for _, l := range listeners {
		listener := Listener{Listener: l}
		listener.recall(known)
		if err := n.completeListener(ctx, &listener, groups, known, spec); err != nil {
			return err
		}
		if !lb.isTimed(spec) {
			listener.idle = "" // nobody asks for it any more
		} else if listener.idle == "" {
			if err := n.readTimeout(ctx, &listener); err != nil {
				return err
			}
		}
		lb.listeners = append(lb.listeners, listener)
	}
	return n.tagGroups(ctx, lb)
}

func (n *Balancers) readAttributes(ctx context.Context, lb *Balancer, known *cloud.Balancer) error {
	lb.attributes = map[string]string{}
	if known != nil {
		for attribute, field := range attributeFields {
			lb.attributes[attribute] = known.ProviderFields[field]
		}
		return nil
	}
	answer, err := n.Client.DescribeLoadBalancerAttributes(ctx, &sdk.DescribeLoadBalancerAttributesInput{LoadBalancerArn: lb.LoadBalancerArn})
	if err != nil {
		return fmt.Errorf("reading the attributes: %w", err)
	}
	for _, attribute := range answer.Attributes {
		lb.attributes[aws.ToString(attribute.Key)] = aws.ToString(attribute.Value)
	}
	return nil
}

// tagGroups reads the tags of the target groups that have none yet, by which those of the user are known.
func (n *Balancers) tagGroups(ctx context.Context, lb *Balancer) error {
	var arns []string
	for _, l := range lb.listeners {
		if l.group.TargetGroupArn != nil && l.group.Tags == nil {
			arns = append(arns, *l.group.TargetGroupArn)
		}
	}
	tags, err := n.Targets.Tags(ctx, arns)
	for i := range lb.listeners {
		if g := &lb.listeners[i].group; g.Tags == nil {
			g.Tags = tags[aws.ToString(g.TargetGroupArn)]
		}
	}
	return err
}

func (n *Balancers) completeListener(ctx context.Context, l *Listener, groups []targetgroup.Group, known *cloud.Balancer, spec cloud.Spec) error {
	if l.Protocol == types.ProtocolEnumTls && !l.recallCertificates() {
		if err := n.readCertificates(ctx, l); err != nil {
			return err
		}
	}
	arn := l.leadsTo()
	group := balancer.Pick(groups, func(g *targetgroup.Group) bool { return aws.ToString(g.TargetGroupArn) == arn })
	if group == nil {
		return nil
	}
	l.group = *group
	switch {
	case spec.Deleting: // it goes with its targets, whatever they are
		return nil
	case l.was != nil && l.group.Recall(*l.was, known.Targets):
		return nil
	}
	return n.Targets.Complete(ctx, &l.group)
}

func (n *Balancers) readCertificates(ctx context.Context, l *Listener) error {
	certificates, err := n.Client.DescribeListenerCertificates(ctx, &sdk.DescribeListenerCertificatesInput{ListenerArn: l.ListenerArn})
	if err != nil {
		return fmt.Errorf("reading the certificates of listener %d: %w", aws.ToInt32(l.Port), err)
	}
	for _, c := range certificates.Certificates {
		if arn := aws.ToString(c.CertificateArn); !aws.ToBool(c.IsDefault) && arn != l.certificate() {
			l.extra = append(l.extra, arn)
		}
	}
	slices.Sort(l.extra)
	return nil
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

// Observe reads the rest of a network balancer that was found.
func (n *Balancers) Observe(ctx context.Context, s *Snapshot, groups []targetgroup.Group, spec cloud.Spec) (cloud.Observed, error) {
	lb := s.Balancer
	if err := n.Targets.ReadSpares(ctx, s.Groups, groups, spec); err != nil {
		return cloud.Observed{}, err
	}
	if err := n.complete(ctx, lb, groups, spec, s.known(spec)); err != nil {
		return cloud.Observed{}, fmt.Errorf("reading network load balancer %s: %w", aws.ToString(lb.LoadBalancerName), err)
	}
	o := cloud.Observed{
		Found: true, ID: aws.ToString(lb.LoadBalancerArn), State: cloud.BalancerActive,
		Owner: n.Cluster.Owner(aws.ToString(lb.LoadBalancerName), lb.Tags, spec.Ref.Owner),
	}
	if lb.State != nil && lb.State.Code == types.LoadBalancerStateEnumFailed {
		o.State, o.Detail = cloud.BalancerFailed, aws.ToString(lb.State.Reason)
	}
	o.Addresses, o.Balancer = balancer.At(lb.DNSName), n.view(s, spec)
	return o, nil
}

// Snapshot is what was read of a Service's network balancer and of what surrounds it.
type Snapshot struct {
	Inventory *vpc.Inventory
	// Balancer is nil where there is none yet.
	Balancer *Balancer
	Groups   *targetgroup.Set
}

// name returns the balancer's name, where there is none the one it would have.
func (s *Snapshot) name(spec cloud.Spec) string {
	if s.Balancer != nil {
		return aws.ToString(s.Balancer.LoadBalancerName)
	}
	return balancer.Name(spec)
}

// at returns the listener at the port, of which there is one whatever its protocol.
func (lb *Balancer) at(port int) *Listener {
	if lb == nil {
		return nil
	}
	return balancer.Pick(lb.listeners, func(l *Listener) bool { return int(aws.ToInt32(l.Port)) == port })
}

// served reports whether each listener that has targets has one that is healthy. Until then a spare
// target group may be the one that connections still go to.
func (lb *Balancer) served() bool {
	return !slices.ContainsFunc(lb.listeners, func(l Listener) bool { return len(l.group.Targets) > 0 && !l.group.Serves })
}

// Protected reports whether AWS refuses to delete the balancer.
func (lb *Balancer) Protected() bool { return lb.attributes[attributeProtection] == "true" }
