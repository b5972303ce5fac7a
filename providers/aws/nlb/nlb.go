// Package nlb reads and writes Network Load Balancers and their listeners.
package nlb

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/vpc"
)

// Balancers reads and writes Network Load Balancers.
type Balancers struct {
	desired.Settings
	Client    *sdk.Client
	Addresses *ec2.Client
	Security  *secgroup.Groups
	Targets   *TargetGroups
}

// Snapshot is what was read of a Service's network balancer and of what surrounds it.
type Snapshot struct {
	// Inventory has no network where the balancer is given up. Network reads it.
	Inventory *vpc.Inventory
	Network   func(context.Context) (*vpc.Network, error)
	// Name is the balancer's name, where there is none the one it would have.
	Name string
	// Balancer is nil where there is none yet.
	Balancer *Balancer
	Groups   *Set
}

// Balancer is a Network Load Balancer and all that belongs to it.
type Balancer struct {
	types.LoadBalancer
	Tags       map[string]string
	attributes map[string]string
	listeners  []Listener
	// groups are the target groups behind it.
	groups []Group
}

// Listener is a listener with the target group it leads to.
type Listener struct {
	types.Listener
	// extra are the certificates besides the default one, sorted.
	extra []string
	group Group
	// idle is its idle timeout in seconds, "" where nobody asked for it.
	idle string
}

// Find returns the balancer with that name or ARN, without its tags, nil when there is none.
func (n *Balancers) Find(ctx context.Context, id string) (*Balancer, error) {
	found, _, err := n.describe(ctx, id)
	if err != nil || len(found) == 0 {
		return nil, failure.UnlessGone(err)
	}
	return &found[0], nil
}

// List returns all network balancers of the VPC, the names of all load balancers of the region but classic ones, and
// all target groups. The balancers have their tags, and so have the target groups that the function chooses, see
// TargetGroups.List.
func (n *Balancers) List(ctx context.Context, tagged func(Group) bool) (list []Balancer, names []string, groups []Group, err error) {
	if list, names, err = n.describe(ctx, ""); err != nil {
		return nil, nil, nil, err
	}
	var arns []string
	for _, lb := range list {
		arns = append(arns, aws.ToString(lb.LoadBalancerArn))
	}
	groups, tags, err := n.Targets.List(ctx, tagged, arns...)
	for i := range list {
		list[i].Tags = tags[arns[i]]
	}
	return list, names, groups, err
}

// describe returns the network balancer of the VPC with that name or ARN, all for "", and the names of all load
// balancers that were read.
func (n *Balancers) describe(ctx context.Context, id string) (list []Balancer, names []string, err error) {
	input := &sdk.DescribeLoadBalancersInput{}
	switch {
	case id == "":
		input.PageSize = aws.Int32(pageSize)
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

// What AWS tells of one balancer, listener or target group in a request is taken from the last look:
//
//	part                                    is taken from there where
//	attributes of the balancer              it was about this balancer
//	attributes and targets of a             its listener has the same port and protocol, and leads to a
//	 target group                           target group of the same port, protocol and kind
//	certificates besides the default one    the default one is the same
//	idle timeout of a listener              it was known
//	health of targets                       never; while a target group waits for it, nothing is

// known returns what the last look knew of the balancer, the zero value for nothing. A balancer that goes is
// read itself. A target group that no listener leads to was led to a moment ago, or will be.
func (s *Snapshot) known(spec cloud.Spec) cloud.Balancer {
	if spec.Last == nil || spec.Deleting || spec.Last.ID != aws.ToString(s.Balancer.LoadBalancerArn) || len(s.Groups.Unused) > 0 {
		return cloud.Balancer{}
	}
	return spec.Last.Balancer
}

// knownAs returns what is known of the listener, the zero value for nothing.
func (l Listener) knownAs(known cloud.Balancer) cloud.Listener {
	for _, was := range known.Listeners {
		if was.Port == int(aws.ToInt32(l.Port)) && string(was.Protocol) == string(l.Protocol) {
			return was
		}
	}
	return cloud.Listener{}
}

// complete reads what is in a network balancer: attributes, listeners and their target groups, of which all are listed. Of
// one that goes it does without what its deletion does not take.
func (n *Balancers) complete(ctx context.Context, s *Snapshot, groups []Group, spec cloud.Spec) error {
	lb, known := s.Balancer, s.known(spec)
	if err := n.addGroupsBehind(ctx, lb, groups); err != nil {
		return err
	}
	if balancer.GivenUp(spec) && balancer.FoundAgain(spec, s.Name) {
		return nil
	}
	if err := n.readAttributes(ctx, lb, known); err != nil || balancer.GivenUp(spec) {
		return err
	}
	listeners, err := filter.All(func(page *string) (*sdk.DescribeListenersOutput, error) {
		return n.Client.DescribeListeners(ctx, &sdk.DescribeListenersInput{LoadBalancerArn: lb.LoadBalancerArn, Marker: page})
	}, func(o *sdk.DescribeListenersOutput) ([]types.Listener, *string) { return o.Listeners, o.NextMarker })
	if err != nil {
		return fmt.Errorf("reading the listeners: %w", err)
	}
	for _, one := range listeners {
		l := Listener{Listener: one}
		if err := n.completeListener(ctx, lb, &l, groups, l.knownAs(known), spec, known.Targets); err != nil {
			return err
		}
		lb.listeners = append(lb.listeners, l)
	}
	return nil
}

// completeListener reads what is in a listener, of which it was known what was.
func (n *Balancers) completeListener(ctx context.Context, lb *Balancer, l *Listener, groups []Group, was cloud.Listener, spec cloud.Spec, targets []cloud.InstanceID) error {
	if err := n.readCertificates(ctx, l, was); err != nil {
		return err
	}
	if group := balancer.Pick(slices.Concat(lb.groups, groups), func(g *Group) bool { return aws.ToString(g.TargetGroupArn) == l.leadsTo() }); group != nil {
		l.group = *group
		if !spec.Deleting && !l.group.recall(was, targets) {
			if err := n.Targets.complete(ctx, &l.group); err != nil {
				return err
			}
		}
	}
	if !lb.isTimed(spec) {
		return nil
	}
	return n.readTimeout(ctx, l, was)
}

func (n *Balancers) readAttributes(ctx context.Context, lb *Balancer, known cloud.Balancer) error {
	lb.attributes = map[string]string{}
	if known.ProviderFields != nil {
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

// addGroupsBehind adds the target groups behind the balancer, and reads the tags of those that may have been made for
// a Service and have none yet: by these the ones of the user are known.
func (n *Balancers) addGroupsBehind(ctx context.Context, lb *Balancer, groups []Group) error {
	var arns []string
	for _, g := range groups {
		if slices.Contains(g.LoadBalancerArns, aws.ToString(lb.LoadBalancerArn)) {
			lb.groups = append(lb.groups, g)
			if g.Tags == nil && tag.IsChild(aws.ToString(g.TargetGroupName)) {
				arns = append(arns, *g.TargetGroupArn)
			}
		}
	}
	tags, err := n.Targets.tags(ctx, arns)
	for i, g := range lb.groups {
		if g.Tags == nil {
			lb.groups[i].Tags = tags[aws.ToString(g.TargetGroupArn)]
		}
	}
	return err
}

// readCertificates reads the certificates of a listener besides the default one, where it can have any.
func (n *Balancers) readCertificates(ctx context.Context, l *Listener, was cloud.Listener) error {
	if l.Protocol != types.ProtocolEnumTls {
		return nil
	}
	if arns := certificatesOf(was); len(arns) > 0 && arns[0] == l.certificate() {
		l.extra = arns[1:]
		return nil
	}
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

// What is here is the idle timeout of listeners. AWS tells that of one listener in a request, so that it
// is read only where it may be another one than AWS's default:
//
//	annotation  tag of the balancer  the timeout of its TCP listeners
//	yes         –                    is read, and what the annotation says
//	no          yes                  is read, and AWS's default; then the tag goes
//	no          no                   is nobody's business: it was not changed here
//
// The tag is written before a timeout is, and removed after all have the default. So it is there after
// a crash too.

// attributeTimeout is an attribute of listeners.
const attributeTimeout = "tcp.idle_timeout.seconds"

// isTimed reports whether the idle timeouts of the listeners are managed.
func (lb *Balancer) isTimed(spec cloud.Spec) bool {
	return !spec.Deleting && (option.IdleTimeout.Has(spec.Options) || lb.isMarkedTimed())
}

// readTimeout reads the idle timeout of a listener that has one which can be changed.
func (n *Balancers) readTimeout(ctx context.Context, l *Listener, was cloud.Listener) error {
	if l.idle = was.ProviderFields[balancer.FieldIdleTimeout]; l.idle != "" || !desired.HasTimeout(cloud.Protocol(l.Protocol)) {
		return nil
	}
	answer, err := n.Client.DescribeListenerAttributes(ctx, &sdk.DescribeListenerAttributesInput{ListenerArn: l.ListenerArn})
	if err != nil {
		return fmt.Errorf("reading the attributes of listener %d: %w", aws.ToInt32(l.Port), err)
	}
	l.idle = desired.DefaultTimeout
	for _, attribute := range answer.Attributes {
		if aws.ToString(attribute.Key) == attributeTimeout {
			l.idle = aws.ToString(attribute.Value)
		}
	}
	return nil
}
