package aws

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	elbtypes "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/option"
)

// at returns the listener at the port, of which there is one whatever its protocol.
func (lb *networkBalancer) at(port int) *networkListener {
	return pick(lb.listeners, func(l *networkListener) bool { return int(awssdk.ToInt32(l.Port)) == port })
}

// dropConflicts deletes listeners whose port is wanted for another transport: AWS has one listener
// at a port, and does not change TCP into UDP.
func (d *Driver) dropConflicts(ctx context.Context, s *snapshot, after cloud.Balancer) error {
	return d.deleteListeners(ctx, s, func(l networkListener) bool {
		return slices.ContainsFunc(after.Listeners, func(w cloud.Listener) bool {
			return int32(w.Port) == awssdk.ToInt32(l.Port) && !convertible(cloud.Protocol(l.Protocol), w.Protocol)
		})
	})
}

// convertible reports whether a listener can change its protocol in place.
func convertible(from, to cloud.Protocol) bool {
	stream := func(p cloud.Protocol) bool { return p == cloud.ProtocolTCP || p == cloud.ProtocolTLS }
	return from == to || stream(from) && stream(to)
}

// dropListeners deletes the listeners at ports that are not wanted.
func (d *Driver) dropListeners(ctx context.Context, s *snapshot, after cloud.Balancer) error {
	return d.deleteListeners(ctx, s, func(l networkListener) bool {
		return !slices.ContainsFunc(after.Listeners, func(w cloud.Listener) bool { return int32(w.Port) == awssdk.ToInt32(l.Port) })
	})
}

// deleteListeners deletes some listeners. Their target groups become spares.
func (d *Driver) deleteListeners(ctx context.Context, s *snapshot, surplus func(networkListener) bool) error {
	var kept []networkListener
	for _, l := range s.network.listeners {
		if !surplus(l) {
			kept = append(kept, l)
			continue
		}
		_, err := d.Network.DeleteListener(ctx, &elb.DeleteListenerInput{ListenerArn: l.ListenerArn})
		if err := failure.Ignore(err, codeNoListener); err != nil {
			return fmt.Errorf("deleting listener %d: %w", awssdk.ToInt32(l.Port), err)
		}
		d.release(s, l.group)
	}
	s.network.listeners = kept
	return nil
}

// settleListener brings one listener and its target group to what is wanted. Where the present one
// does not suit, another one is made and filled, and then the listener leads to it.
func (d *Driver) settleListener(ctx context.Context, s *snapshot, l cloud.Listener, change cloud.Change) error {
	have := s.network.at(l.Port)
	group, err := d.groupFor(ctx, s, have, l, change.Spec)
	if err != nil {
		return err
	}
	if err := d.settleGroup(ctx, group, l); err != nil {
		return err
	}
	wanted := wantedTargets(group.targets, l, change)
	if err := d.register(ctx, s, group, missing(wanted, group.targets)); err != nil {
		return err
	}
	if have == nil {
		err = d.createListener(ctx, s, l, group, change.Spec)
	} else {
		err = d.changeListener(ctx, s, *have, l, group)
	}
	if err != nil {
		return err
	}
	return d.deregister(ctx, group, missing(group.targets, wanted))
}

// suits reports whether the group can be what the listener leads to. AWS can't change its protocol,
// port and type. Protocol and interval of its health check are in its name (see targetGroupShape):
// upstream fails for ever where it finds another one under a name it is about to give.
func (g targetGroup) suits(l cloud.Listener) bool {
	return g.TargetGroupArn != nil && string(g.Protocol) == string(l.TargetProtocol) && int(awssdk.ToInt32(g.Port)) == l.TargetPort &&
		string(g.TargetType) == l.ProviderFields[fieldTargetType] &&
		string(g.HealthCheckProtocol) == string(l.Health.Protocol) && *secondsOf(l.Health.Interval) == awssdk.ToInt32(g.HealthCheckIntervalSeconds)
}

// groupFor returns the target group for a listener: the one it has, else a spare, else a new one.
func (d *Driver) groupFor(ctx context.Context, s *snapshot, have *networkListener, l cloud.Listener, spec cloud.Spec) (targetGroup, error) {
	if have != nil && have.group.suits(l) {
		return have.group, nil
	}
	names := targetGroupNames(d.config.Cluster.ID, l, spec)
	for i, spare := range s.unused {
		if spare.suits(l) && slices.Contains(names, awssdk.ToString(spare.TargetGroupName)) {
			s.unused = slices.Delete(slices.Clone(s.unused), i, i+1)
			return spare, d.completeGroup(ctx, &spare)
		}
	}
	for _, name := range names {
		if !s.taken[name] {
			return d.createGroupFor(ctx, name, l, spec)
		}
	}
	return targetGroup{}, fmt.Errorf("creating a target group: the names %q are taken by others", names)
}

// targetGroupNames are the names a listener's target group may have: upstream's, and one with the
// UID where that is taken, as by the balancer of a Service of the same name that was kept.
func targetGroupNames(clusterID string, l cloud.Listener, spec cloud.Spec) []string {
	shape := targetGroupShape{
		port: l.Port, nodePort: l.TargetPort, protocol: l.TargetProtocol, targetType: l.ProviderFields[fieldTargetType],
		healthProtocol: l.Health.Protocol, healthInterval: l.Health.Interval,
	}
	return []string{
		targetGroupName(clusterID, spec.Ref.Owner, shape),
		targetGroupName(clusterID+spec.Ref.Owner.UID, spec.Ref.Owner, shape),
	}
}

func (d *Driver) createGroupFor(ctx context.Context, name string, l cloud.Listener, spec cloud.Spec) (targetGroup, error) {
	input := &elb.CreateTargetGroupInput{
		Name: &name, Port: awssdk.Int32(int32(l.TargetPort)), Protocol: elbtypes.ProtocolEnum(l.TargetProtocol), VpcId: &d.config.Cluster.VPC,
		TargetType: elbtypes.TargetTypeEnum(l.ProviderFields[fieldTargetType]), Tags: networkTagList(d.config.Cluster.ObjectTags(spec)),
		HealthCheckProtocol: elbtypes.ProtocolEnum(l.Health.Protocol), HealthCheckPort: awssdk.String(healthPortText(l.Health)),
		HealthCheckIntervalSeconds: secondsOf(l.Health.Interval), HealthCheckTimeoutSeconds: secondsOf(l.Health.Timeout),
		HealthyThresholdCount: awssdk.Int32(int32(l.Health.Healthy)), UnhealthyThresholdCount: awssdk.Int32(int32(l.Health.Unhealthy)),
	}
	if l.Health.Path != "" {
		input.HealthCheckPath = &l.Health.Path
	}
	made, err := d.Network.CreateTargetGroup(ctx, input)
	if err != nil {
		return targetGroup{}, fmt.Errorf("creating target group %s: %w", name, err)
	}
	if len(made.TargetGroups) == 0 {
		return targetGroup{}, fmt.Errorf("creating target group %s: %w", name, failure.ErrBlank)
	}
	g := targetGroup{TargetGroup: made.TargetGroups[0]}
	return g, d.completeGroup(ctx, &g)
}

func secondsOf(d time.Duration) *int32 { return awssdk.Int32(int32(d / time.Second)) }

func healthPortText(h *cloud.Health) string {
	if h.Port == 0 {
		return option.TrafficPort
	}
	return strconv.Itoa(h.Port)
}

// settleGroup changes the health check and the attributes of a target group where they differ.
func (d *Driver) settleGroup(ctx context.Context, g targetGroup, l cloud.Listener) error {
	if want, have := *l.Health, *g.health(); !sameHealth(want, have) {
		input := &elb.ModifyTargetGroupInput{
			TargetGroupArn: g.TargetGroupArn, HealthCheckProtocol: elbtypes.ProtocolEnum(want.Protocol), HealthCheckPort: awssdk.String(healthPortText(&want)),
			HealthCheckIntervalSeconds: secondsOf(want.Interval), HealthCheckTimeoutSeconds: secondsOf(want.Timeout),
			HealthyThresholdCount: awssdk.Int32(int32(want.Healthy)), UnhealthyThresholdCount: awssdk.Int32(int32(want.Unhealthy)),
		}
		if want.Path != "" {
			input.HealthCheckPath = &want.Path
		}
		if _, err := d.Network.ModifyTargetGroup(ctx, input); err != nil {
			return fmt.Errorf("changing the health check of target group %s: %w", awssdk.ToString(g.TargetGroupName), err)
		}
	}
	var changed []elbtypes.TargetGroupAttribute
	set := func(attribute, value, have string) {
		if value != have {
			changed = append(changed, elbtypes.TargetGroupAttribute{Key: awssdk.String(attribute), Value: awssdk.String(value)})
		}
	}
	set(option.AttributePreserve, l.ProviderFields[fieldPreserve], strconv.FormatBool(g.preserves()))
	set(option.AttributeProxy, l.ProviderFields[fieldProxy], strconv.FormatBool(g.attributes[option.AttributeProxy] == "true"))
	set(attributeSticky, l.ProviderFields[fieldSticky], strconv.FormatBool(g.attributes[attributeSticky] == "true"))
	if len(changed) == 0 {
		return nil
	}
	if l.ProviderFields[fieldSticky] == "true" {
		changed = append(changed, elbtypes.TargetGroupAttribute{Key: awssdk.String("stickiness.type"), Value: awssdk.String("source_ip")})
	}
	_, err := d.Network.ModifyTargetGroupAttributes(ctx, &elb.ModifyTargetGroupAttributesInput{TargetGroupArn: g.TargetGroupArn, Attributes: changed})
	return failure.Wrap(err, "changing the attributes of target group "+awssdk.ToString(g.TargetGroupName))
}

func forwardTo(g targetGroup) []elbtypes.Action {
	return []elbtypes.Action{{Type: elbtypes.ActionTypeEnumForward, TargetGroupArn: g.TargetGroupArn}}
}

func (d *Driver) createListener(ctx context.Context, s *snapshot, l cloud.Listener, g targetGroup, spec cloud.Spec) error {
	input := &elb.CreateListenerInput{
		LoadBalancerArn: s.network.LoadBalancerArn, Port: awssdk.Int32(int32(l.Port)), Protocol: elbtypes.ProtocolEnum(l.Protocol),
		DefaultActions: forwardTo(g), Tags: networkTagList(d.config.Cluster.ObjectTags(spec)),
	}
	certificates := certificatesOf(l)
	if l.Protocol == cloud.ProtocolTLS {
		input.Certificates, input.SslPolicy = certificates[:1], awssdk.String(l.ProviderFields[fieldTLSPolicy])
	}
	made, err := d.Network.CreateListener(ctx, input)
	if err != nil {
		return fmt.Errorf("creating it: %w", err)
	}
	if len(made.Listeners) == 0 {
		return fmt.Errorf("creating it: %w", failure.ErrBlank)
	}
	return d.settleCertificates(ctx, networkListener{Listener: made.Listeners[0]}, certificates)
}

// changeListener changes protocol, certificates, policy and target group in place where they
// differ.
func (d *Driver) changeListener(ctx context.Context, s *snapshot, have networkListener, l cloud.Listener, g targetGroup) error {
	input := &elb.ModifyListenerInput{ListenerArn: have.ListenerArn}
	certificates, differs := certificatesOf(l), false
	if string(have.Protocol) != string(l.Protocol) {
		input.Protocol, differs = elbtypes.ProtocolEnum(l.Protocol), true
	}
	if l.Protocol == cloud.ProtocolTLS {
		if arn := awssdk.ToString(certificates[0].CertificateArn); differs || arn != have.certificate() || awssdk.ToString(have.SslPolicy) != l.ProviderFields[fieldTLSPolicy] {
			input.Certificates, input.SslPolicy, differs = certificates[:1], awssdk.String(l.ProviderFields[fieldTLSPolicy]), true
		}
	}
	if awssdk.ToString(g.TargetGroupArn) != have.leadsTo() {
		input.DefaultActions, differs = forwardTo(g), true
	}
	if differs {
		if _, err := d.Network.ModifyListener(ctx, input); err != nil {
			return err
		}
		if input.DefaultActions != nil && d.releases(have.group) {
			s.retired = append(s.retired, have.group)
		}
	}
	if l.Protocol != cloud.ProtocolTLS {
		return nil
	}
	return d.settleCertificates(ctx, have, certificates)
}

// certificatesOf are the certificates of a TLS listener, the default one first.
func certificatesOf(l cloud.Listener) []elbtypes.Certificate {
	if l.Protocol != cloud.ProtocolTLS {
		return nil
	}
	var list []elbtypes.Certificate
	for arn := range strings.SplitSeq(l.ProviderFields[fieldCertificates], ",") {
		list = append(list, elbtypes.Certificate{CertificateArn: awssdk.String(arn)})
	}
	return list
}

// settleCertificates adds and removes certificates besides the default one.
func (d *Driver) settleCertificates(ctx context.Context, have networkListener, certificates []elbtypes.Certificate) error {
	var wanted []string
	for i, c := range certificates {
		if i > 0 {
			wanted = append(wanted, awssdk.ToString(c.CertificateArn))
		}
	}
	for _, arn := range missing(wanted, have.extra) {
		_, err := d.Network.AddListenerCertificates(ctx, &elb.AddListenerCertificatesInput{ListenerArn: have.ListenerArn, Certificates: []elbtypes.Certificate{{CertificateArn: &arn}}})
		if err != nil {
			return fmt.Errorf("adding certificate %s: %w", arn, err)
		}
	}
	for _, arn := range missing(have.extra, wanted) {
		_, err := d.Network.RemoveListenerCertificates(ctx, &elb.RemoveListenerCertificatesInput{ListenerArn: have.ListenerArn, Certificates: []elbtypes.Certificate{{CertificateArn: &arn}}})
		if err != nil {
			return fmt.Errorf("removing certificate %s: %w", arn, err)
		}
	}
	return nil
}
