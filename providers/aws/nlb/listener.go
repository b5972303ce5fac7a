package nlb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
)

// at returns the listener at the port, of which there is one whatever its protocol.
func (lb *Balancer) at(port int) *Listener {
	return balancer.Pick(lb.listeners, func(l *Listener) bool { return int(aws.ToInt32(l.Port)) == port })
}

// dropConflicts deletes listeners whose port is wanted for another transport: AWS has one listener
// at a port, and does not change TCP into UDP.
func (n *Balancers) dropConflicts(ctx context.Context, s *Snapshot, after cloud.Balancer) error {
	return n.deleteListeners(ctx, s, func(l Listener) bool {
		return slices.ContainsFunc(after.Listeners, func(w cloud.Listener) bool {
			return int32(w.Port) == aws.ToInt32(l.Port) && !convertible(cloud.Protocol(l.Protocol), w.Protocol)
		})
	})
}

// convertible reports whether a listener can change its protocol in place.
func convertible(from, to cloud.Protocol) bool {
	stream := func(p cloud.Protocol) bool { return p == cloud.ProtocolTCP || p == cloud.ProtocolTLS }
	return from == to || stream(from) && stream(to)
}

// dropListeners deletes the listeners at ports that are not wanted.
func (n *Balancers) dropListeners(ctx context.Context, s *Snapshot, after cloud.Balancer) error {
	return n.deleteListeners(ctx, s, func(l Listener) bool {
		return !slices.ContainsFunc(after.Listeners, func(w cloud.Listener) bool { return int32(w.Port) == aws.ToInt32(l.Port) })
	})
}

// deleteListeners deletes some listeners. Their target groups become spares.
func (n *Balancers) deleteListeners(ctx context.Context, s *Snapshot, surplus func(Listener) bool) error {
	var kept []Listener
	for _, l := range s.Balancer.listeners {
		if !surplus(l) {
			kept = append(kept, l)
			continue
		}
		_, err := n.client.DeleteListener(ctx, &sdk.DeleteListenerInput{ListenerArn: l.ListenerArn})
		if err := failure.Ignore(err, targetgroup.CodeNoListener); err != nil {
			return fmt.Errorf("deleting listener %d: %w", aws.ToInt32(l.Port), err)
		}
		n.targets.Release(s.Groups, l.group)
	}
	s.Balancer.listeners = kept
	return nil
}

// settleListener brings one listener and its target group to what is wanted. Where the present one
// does not suit, another one is made and filled, and then the listener leads to it.
func (n *Balancers) settleListener(ctx context.Context, s *Snapshot, l cloud.Listener, change cloud.Change) error {
	have := s.Balancer.at(l.Port)
	var present targetgroup.Group
	if have != nil {
		present = have.group
	}
	group, err := n.targets.For(ctx, s.Groups, present, l, change.Spec)
	if err != nil {
		return err
	}
	if err := n.targets.Settle(ctx, group, l); err != nil {
		return err
	}
	wanted := targetgroup.Wanted(group.Targets, l, change)
	if err := n.targets.Register(ctx, s.Groups, group, balancer.Missing(wanted, group.Targets)); err != nil {
		return err
	}
	if have == nil {
		err = n.createListener(ctx, s, l, group, change.Spec)
	} else {
		err = n.changeListener(ctx, s, *have, l, group)
	}
	if err != nil {
		return err
	}
	return n.targets.Deregister(ctx, group, balancer.Missing(group.Targets, wanted))
}

func forwardTo(g targetgroup.Group) []types.Action {
	return []types.Action{{Type: types.ActionTypeEnumForward, TargetGroupArn: g.TargetGroupArn}}
}

func (n *Balancers) createListener(ctx context.Context, s *Snapshot, l cloud.Listener, g targetgroup.Group, spec cloud.Spec) error {
	input := &sdk.CreateListenerInput{
		LoadBalancerArn: s.Balancer.LoadBalancerArn, Port: aws.Int32(int32(l.Port)), Protocol: types.ProtocolEnum(l.Protocol),
		DefaultActions: forwardTo(g), Tags: targetgroup.TagList(n.cluster.ObjectTags(spec)),
	}
	certificates := certificatesOf(l)
	if l.Protocol == cloud.ProtocolTLS {
		input.Certificates, input.SslPolicy = certificates[:1], aws.String(l.ProviderFields[balancer.FieldTLSPolicy])
	}
	made, err := n.client.CreateListener(ctx, input)
	if err != nil {
		return fmt.Errorf("creating it: %w", err)
	}
	if len(made.Listeners) == 0 {
		return fmt.Errorf("creating it: %w", failure.ErrBlank)
	}
	return n.settleCertificates(ctx, Listener{Listener: made.Listeners[0]}, certificates)
}

// changeListener changes protocol, certificates, policy and target group in place where they
// differ.
func (n *Balancers) changeListener(ctx context.Context, s *Snapshot, have Listener, l cloud.Listener, g targetgroup.Group) error {
	input := &sdk.ModifyListenerInput{ListenerArn: have.ListenerArn}
	certificates, differs := certificatesOf(l), false
	if string(have.Protocol) != string(l.Protocol) {
		input.Protocol, differs = types.ProtocolEnum(l.Protocol), true
	}
	if l.Protocol == cloud.ProtocolTLS {
		if arn := aws.ToString(certificates[0].CertificateArn); differs || arn != have.certificate() || aws.ToString(have.SslPolicy) != l.ProviderFields[balancer.FieldTLSPolicy] {
			input.Certificates, input.SslPolicy, differs = certificates[:1], aws.String(l.ProviderFields[balancer.FieldTLSPolicy]), true
		}
	}
	if aws.ToString(g.TargetGroupArn) != have.leadsTo() {
		input.DefaultActions, differs = forwardTo(g), true
	}
	if differs {
		if _, err := n.client.ModifyListener(ctx, input); err != nil {
			return err
		}
		if input.DefaultActions != nil && n.targets.Releases(have.group) {
			s.Groups.Retired = append(s.Groups.Retired, have.group)
		}
	}
	if l.Protocol != cloud.ProtocolTLS {
		return nil
	}
	return n.settleCertificates(ctx, have, certificates)
}

// certificatesOf are the certificates of a TLS listener, the default one first.
func certificatesOf(l cloud.Listener) []types.Certificate {
	if l.Protocol != cloud.ProtocolTLS {
		return nil
	}
	var list []types.Certificate
	for arn := range strings.SplitSeq(l.ProviderFields[balancer.FieldCertificates], ",") {
		list = append(list, types.Certificate{CertificateArn: aws.String(arn)})
	}
	return list
}

// settleCertificates adds and removes certificates besides the default one.
func (n *Balancers) settleCertificates(ctx context.Context, have Listener, certificates []types.Certificate) error {
	var wanted []string
	for i, c := range certificates {
		if i > 0 {
			wanted = append(wanted, aws.ToString(c.CertificateArn))
		}
	}
	for _, arn := range balancer.Missing(wanted, have.extra) {
		_, err := n.client.AddListenerCertificates(ctx, &sdk.AddListenerCertificatesInput{ListenerArn: have.ListenerArn, Certificates: []types.Certificate{{CertificateArn: &arn}}})
		if err != nil {
			return fmt.Errorf("adding certificate %s: %w", arn, err)
		}
	}
	for _, arn := range balancer.Missing(have.extra, wanted) {
		_, err := n.client.RemoveListenerCertificates(ctx, &sdk.RemoveListenerCertificatesInput{ListenerArn: have.ListenerArn, Certificates: []types.Certificate{{CertificateArn: &arn}}})
		if err != nil {
			return fmt.Errorf("removing certificate %s: %w", arn, err)
		}
	}
	return nil
}
