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
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/filter"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
)

// Observe reads the rest of a network balancer that was found.
func (n *Balancers) Observe(ctx context.Context, s *Snapshot, in cloud.Input) (cloud.Observed, error) {
	lb := s.Balancer
	if err := n.Targets.ReadUnused(ctx, s.Groups, in); err != nil {
		return cloud.Observed{}, err
	}
	if err := n.complete(ctx, s, in); err != nil {
		return cloud.Observed{}, fmt.Errorf("reading network load balancer %s: %w", aws.ToString(lb.LoadBalancerName), err)
	}
	o := cloud.Observed{
		Found: true, ID: aws.ToString(lb.LoadBalancerArn), State: cloud.BalancerActive,
		Owner: n.Cluster.Owner(aws.ToString(lb.LoadBalancerName), lb.Tags, in.Owner),
	}
	if lb.State != nil && lb.State.Code == types.LoadBalancerStateEnumFailed {
		o.State, o.Detail = cloud.BalancerFailed, aws.ToString(lb.State.Reason)
	}
	o.Addresses, o.Balancer = balancer.At(lb.DNSName), n.view(s, in)
	return o, nil
}

// complete reads what is in a network balancer: attributes, listeners and their target groups, of which all are listed. Of
// one that goes it does without what its deletion does not take.
func (n *Balancers) complete(ctx context.Context, s *Snapshot, in cloud.Input) error {
	lb := s.Balancer
	var err error
	if lb.groups, err = n.Targets.Behind(ctx, s.Groups, aws.ToString(lb.LoadBalancerArn)); err != nil {
		return err
	}
	if balancer.GivenUp(in.Known) && balancer.FoundAgain(in, s.Name) {
		return nil
	}
	if !in.JustTargets {
		if err := n.readAttributes(ctx, lb); err != nil || balancer.GivenUp(in.Known) {
			return err
		}
	}
	listeners, err := filter.All(func(page *string) (*sdk.DescribeListenersOutput, error) {
		return n.Client.DescribeListeners(ctx, &sdk.DescribeListenersInput{LoadBalancerArn: lb.LoadBalancerArn, Marker: page})
	}, func(o *sdk.DescribeListenersOutput) ([]types.Listener, *string) { return o.Listeners, o.NextMarker })
	if err != nil {
		return fmt.Errorf("reading the listeners: %w", err)
	}
	for _, one := range listeners {
		l := Listener{Listener: one}
		if err := n.completeListener(ctx, s, &l, in); err != nil {
			return err
		}
		lb.listeners = append(lb.listeners, l)
	}
	return nil
}

// completeListener reads what is in a listener.
func (n *Balancers) completeListener(ctx context.Context, s *Snapshot, l *Listener, in cloud.Input) error {
	if err := n.readCertificates(ctx, l); err != nil {
		return err
	}
	all := slices.Concat(s.Balancer.groups, s.Groups.Listed)
	if i := slices.IndexFunc(all, func(g targetgroup.Group) bool { return aws.ToString(g.TargetGroupArn) == l.leadsTo() }); i >= 0 {
		l.group = all[i]
		if !in.Deleting {
			if err := n.Targets.Complete(ctx, &l.group); err != nil {
				return err
			}
		}
	}
	if !s.Balancer.isTimed(in) {
		return nil
	}
	return n.readTimeout(ctx, l)
}

func (n *Balancers) readAttributes(ctx context.Context, lb *Balancer) error {
	lb.attributes = map[string]string{}
	answer, err := n.Client.DescribeLoadBalancerAttributes(ctx, &sdk.DescribeLoadBalancerAttributesInput{LoadBalancerArn: lb.LoadBalancerArn})
	if err != nil {
		return fmt.Errorf("reading the attributes: %w", err)
	}
	for _, attribute := range answer.Attributes {
		lb.attributes[aws.ToString(attribute.Key)] = aws.ToString(attribute.Value)
	}
	return nil
}

// readCertificates reads the certificates of a listener besides the default one, where it can have any.
func (n *Balancers) readCertificates(ctx context.Context, l *Listener) error {
	if l.Protocol != types.ProtocolEnumTls {
		return nil
	}
	certificates, err := filter.All(func(page *string) (*sdk.DescribeListenerCertificatesOutput, error) {
		return n.Client.DescribeListenerCertificates(ctx, &sdk.DescribeListenerCertificatesInput{ListenerArn: l.ListenerArn, Marker: page})
	}, func(o *sdk.DescribeListenerCertificatesOutput) ([]types.Certificate, *string) {
		return o.Certificates, o.NextMarker
	})
	if err != nil {
		return fmt.Errorf("reading the certificates of listener %d: %w", aws.ToInt32(l.Port), err)
	}
	for _, c := range certificates {
		if arn := aws.ToString(c.CertificateArn); !aws.ToBool(c.IsDefault) && arn != l.certificate() {
			l.extra = append(l.extra, arn)
		}
	}
	slices.Sort(l.extra)
	return nil
}

// isTimed reports whether the idle timeouts of the listeners are managed.
func (lb *Balancer) isTimed(in cloud.Input) bool {
	return !in.Deleting && (option.IdleTimeout.Has(in.Options) || lb.Tags[tag.Timed] != "")
}

// readTimeout reads the idle timeout of a listener that has one which can be changed.
func (n *Balancers) readTimeout(ctx context.Context, l *Listener) error {
	if !desired.HasTimeout(cloud.Protocol(l.Protocol)) {
		return nil
	}
	answer, err := n.Client.DescribeListenerAttributes(ctx, &sdk.DescribeListenerAttributesInput{ListenerArn: l.ListenerArn})
	if err != nil {
		return fmt.Errorf("reading the attributes of listener %d: %w", aws.ToInt32(l.Port), err)
	}
	l.idle = desired.DefaultTimeout
	for _, attribute := range answer.Attributes {
		if aws.ToString(attribute.Key) == attributeTimeout.Name() {
			l.idle = aws.ToString(attribute.Value)
		}
	}
	return nil
}
