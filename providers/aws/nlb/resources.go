package nlb

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/secgroup"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// parts collects the resources of one change.
type parts struct {
	*Balancers
	cloud.Resources
	s      *Snapshot
	change cloud.Change
	lb     cloud.IDOf // stands for the balancer
}

// Resources returns the resources of a balancer before and after a change.
func (n *Balancers) Resources(ctx context.Context, s *Snapshot, change cloud.Change) (cloud.Resources, error) {
	p := &parts{Balancers: n, s: s, change: change, lb: cloud.IDOf{Kind: kindBalancer, Key: s.Name}}
	add := p.addAll
	if change.After == nil {
		add = p.addRemains
	}
	err := add(ctx)
	return p.Resources, err
}

func (p *parts) addAll(ctx context.Context) error {
	if err := p.addGroups(ctx); err != nil {
		return err
	}
	p.addTags()
	p.addBalancer()
	for _, l := range p.change.After.Listeners {
		if err := p.addListener(ctx, l); err != nil {
			return err
		}
	}
	p.addTimeouts()
	p.addLeft()
	p.addSurplus()
	return nil
}

// addTags adds the tags of the balancer and of what belongs to it. The balancer comes last among these: it is by its tags
// that the work is known to be done.
func (p *parts) addTags() {
	if p.s.Balancer == nil {
		return
	}
	var arns []string
	for _, l := range p.s.Balancer.listeners {
		arns = append(arns, aws.ToString(l.ListenerArn))
		if p.Targets.isMade(l.group) {
			arns = append(arns, aws.ToString(l.group.TargetGroupArn))
		}
	}
	tags := cloud.Resource{Kind: kindTags, Key: p.lb.Key, Native: append(arns, p.change.Before.ID)}
	p.Cluster.Add(&p.Resources, tags, p.s.Balancer.Tags, p.change)
}

// isMade reports whether a group behind a balancer of ours was made for it, by upstream or us, and
// is none of the user's.
func (gs *TargetGroups) isMade(g Group) bool {
	return g.TargetGroupArn != nil && tag.IsChild(aws.ToString(g.TargetGroupName)) && gs.Cluster.Has(g.Tags)
}

func (lb *Balancer) isMarkedTimed() bool { return lb.Tags[tag.Timed] != "" }

// addBalancer adds the balancer with its attributes. Of a new one the defaults are not written.
func (p *parts) addBalancer() {
	before, after := p.change.Before.Balancer, *p.change.After
	wanted, attributes := p.balancer(after), p.attributes(after, after.ProviderFields[balancer.FieldLog] == "true")
	wanted.Needs, wanted.Fields[fieldTags] = p.rules(), p.Cluster.ObjectTags(p.change.Spec)
	p.Wanted = append(p.Wanted, wanted)
	if p.s.Balancer != nil {
		present := p.balancer(before)
		present.ID = p.change.Before.ID
		p.Present = append(p.Present, present, p.attributes(before, true))
	} else {
		maps.DeleteFunc(attributes.Fields, func(_ string, value any) bool { return value == "false" || value == "" })
	}
	if len(attributes.Fields) > 1 {
		p.Wanted = append(p.Wanted, attributes)
	}
}

// rules are those that are missing: what listens must be reached.
func (p *parts) rules() (refs []cloud.IDOf) {
	for _, r := range p.Wanted {
		if r.Kind == secgroup.KindRule && !listed(p.Present, r.Ref()) {
			refs = append(refs, r.Ref())
		}
	}
	return refs
}

func listed(list []cloud.Resource, ref cloud.IDOf) bool {
	return slices.ContainsFunc(list, func(r cloud.Resource) bool { return r.Ref() == ref })
}

// balancer is a load balancer by its portable view.
func (p *parts) balancer(b cloud.Balancer) cloud.Resource {
	fields := map[string]any{fieldStack: string(types.IpAddressTypeIpv4)}
	if b.DualStack {
		fields[fieldStack] = string(types.IpAddressTypeDualstack)
	}
	if subnets := b.ProviderFields[balancer.FieldSubnets]; subnets != "" {
		fields[fieldSubnets] = subnets
	}
	if ids := balancer.List(b.ProviderFields[balancer.FieldGroups]); len(ids) > 0 {
		fields[fieldGroups] = secgroup.Refs(ids, p.Security.NetworkName(p.change.Spec.Ref.Owner))
	}
	return cloud.Resource{Kind: kindBalancer, Key: p.lb.Key, Fields: fields, Native: b}
}

// attributes are those of a load balancer by its portable view.
func (p *parts) attributes(b cloud.Balancer, logs bool) cloud.Resource {
	fields := map[string]any{fieldBalancer: p.lb}
	for attribute, field := range attributeFields {
		if logs || field != balancer.FieldLogBucket && field != balancer.FieldLogPrefix {
			fields[attribute] = b.ProviderFields[field]
		}
	}
	return cloud.Resource{Kind: kindAttributes, Key: p.lb.Key, Fields: fields}
}

// addListener adds a listener as it is and as it has to be, with what it leads to.
func (p *parts) addListener(ctx context.Context, l cloud.Listener) error {
	have := p.s.Balancer.at(l.Port)
	var before Group
	if have != nil {
		before = have.group
	}
	leads, err := p.addTargetGroup(ctx, before, l)
	if err != nil {
		return err
	}
	wanted := p.listener(l)
	wanted.Fields[fieldTargets], wanted.Fields[fieldTags], wanted.Needs = leads, p.Cluster.ObjectTags(p.change.Spec), p.rules()
	p.Wanted = append(p.Wanted, wanted)
	p.addCertificates(&p.Wanted, wanted, certificatesOf(l))
	if have == nil {
		return nil
	}
	present := p.presentListener(*have)
	p.Present = append(p.Present, present)
	if l.Protocol == cloud.ProtocolTLS {
		p.addCertificates(&p.Present, present, have.certificates())
	}
	return nil
}

// at returns the listener at the port, of which there is one whatever its protocol.
func (lb *Balancer) at(port int) *Listener {
	if lb == nil {
		return nil
	}
	return balancer.Pick(lb.listeners, func(l *Listener) bool { return int(aws.ToInt32(l.Port)) == port })
}

// listener is a listener by its portable view, without what it leads to.
func (p *parts) listener(l cloud.Listener) cloud.Resource {
	fields := map[string]any{fieldBalancer: p.lb, fieldProtocol: string(l.Protocol), fieldTransport: transportOf(l.Protocol), fieldPort: l.Port}
	if certificates := certificatesOf(l); len(certificates) > 0 {
		fields[fieldCertificate], fields[fieldPolicy] = certificates[0], l.ProviderFields[balancer.FieldTLSPolicy]
	}
	return cloud.Resource{Kind: kindListener, Key: strconv.Itoa(l.Port), Fields: fields}
}

// certificatesOf are the ARNs of the certificates of a TLS listener, the default one first.
func certificatesOf(l cloud.Listener) []string {
	return balancer.List(l.ProviderFields[balancer.FieldCertificates])
}

// transportOf returns what of a protocol stays: TCP and TLS can become each other.
func transportOf(p cloud.Protocol) string {
	if p == cloud.ProtocolTLS {
		return string(cloud.ProtocolTCP)
	}
	return string(p)
}

func (p *parts) presentListener(l Listener) cloud.Resource {
	r := p.listener(l.view())
	r.ID, r.Fields[fieldTargets] = aws.ToString(l.ListenerArn), any(l.leadsTo())
	if l.group.TargetGroupArn != nil {
		r.Fields[fieldTargets] = l.group.Ref()
	}
	return r
}

// view returns the managed state of a listener and its target group.
func (l Listener) view() cloud.Listener {
	view := l.group.view()
	view.Protocol, view.Port = cloud.Protocol(l.Protocol), int(aws.ToInt32(l.Port))
	if l.idle != "" {
		view.ProviderFields[balancer.FieldIdleTimeout] = l.idle
	}
	if l.Protocol == types.ProtocolEnumTls {
		view.ProviderFields[balancer.FieldCertificates] = strings.Join(l.certificates(), ",")
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

// addCertificates adds those besides the default one.
func (p *parts) addCertificates(to *[]cloud.Resource, listener cloud.Resource, arns []string) {
	for i, arn := range arns {
		if i > 0 {
			fields := map[string]any{fieldListener: listener.Ref(), fieldCertificate: arn}
			*to = append(*to, cloud.Resource{Kind: kindCertificate, Key: listener.Key + " " + arn, Fields: fields})
		}
	}
}

// addTimeouts adds the idle timeouts of the listeners that shall have a certain one, and the tag while
// one is not AWS's default. Of a new listener that is not written.
func (p *parts) addTimeouts() {
	record := cloud.Resource{Kind: kindTimed, Key: p.lb.Key, Fields: map[string]any{fieldBalancer: p.lb}}
	if lb := p.s.Balancer; lb != nil && lb.isMarkedTimed() {
		p.Present = append(p.Present, record)
	}
	timed := false
	for _, l := range p.change.After.Listeners {
		wanted, has := l.ProviderFields[balancer.FieldIdleTimeout], p.s.Balancer.at(l.Port)
		if wanted == "" || wanted == desired.DefaultTimeout && (has == nil || has.idle == "") {
			continue
		}
		timed = timed || wanted != desired.DefaultTimeout
		fields := func(timeout string) map[string]any {
			return map[string]any{fieldListener: p.listener(l).Ref(), attributeTimeout: timeout}
		}
		if has != nil && has.idle != "" {
			p.Present = append(p.Present, cloud.Resource{Kind: kindTimeout, Key: strconv.Itoa(l.Port), Fields: fields(has.idle)})
		}
		p.Wanted = append(p.Wanted, cloud.Resource{Kind: kindTimeout, Key: strconv.Itoa(l.Port), Fields: fields(wanted)})
	}
	if timed && len(p.change.After.OwnershipTags) > 0 {
		p.Wanted = append(p.Wanted, record)
	}
}
