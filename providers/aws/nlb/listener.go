package nlb

import (
	"context"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/nlb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/targetgroup"
)

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
var attributeTimeout = cloud.NewField[string]("tcp.idle_timeout.seconds")

// addTimeouts adds the idle timeouts of the listeners that shall have a certain one, and the tag while
// one is not AWS's default. Of a new listener that is not written.
func (p *parts) addTimeouts() {
	record := cloud.Resource{Kind: kindTimed, Key: p.lb.Key, Fields: cloud.FieldsOf(fieldBalancer.Is(cloud.To(p.lb)))}
	if lb := p.s.Balancer; lb != nil && lb.Tags[tag.Timed] != "" {
		p.Present = append(p.Present, record)
	}
	timed := false
	for _, l := range p.change.After.Listeners {
		wanted, has := l.ProviderFields[balancer.FieldIdleTimeout], p.s.Balancer.at(l.Port)
		if wanted == "" || wanted == desired.DefaultTimeout && (has == nil || has.idle == "") {
			continue
		}
		timed = timed || wanted != desired.DefaultTimeout
		fields := func(timeout string) cloud.Fields {
			return cloud.FieldsOf(fieldListener.Is(cloud.To(p.listener(l).Ref())), attributeTimeout.Is(timeout))
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

// addListener adds a listener as it is and as it has to be, with what it leads to.
func (p *parts) addListener(ctx context.Context, l cloud.Listener) error {
	wanted, before := p.listener(l), targetgroup.Group{}
	p.addCertificates(&p.Wanted, wanted, certificatesOf(l))
	if have := p.s.Balancer.at(l.Port); have != nil {
		before = have.group
		present := p.presentListener(*have)
		p.Present = append(p.Present, present)
		if l.Protocol == cloud.ProtocolTLS {
			p.addCertificates(&p.Present, present, have.certificates())
		}
	}
	leads, err := p.targets.Lead(ctx, before, l)
	wanted.Needs = p.rules()
	wanted.Fields = wanted.Fields.With(fieldTags.Is(p.Cluster.ObjectTags(p.change.Input.Spec)), fieldTargets.Is(cloud.To(leads)))
	p.Wanted = append(p.Wanted, wanted)
	return err
}

// listener is a listener by its portable view, without what it leads to.
func (p *parts) listener(l cloud.Listener) cloud.Resource {
	fields := cloud.FieldsOf(fieldBalancer.Is(cloud.To(p.lb)), fieldProtocol.Is(l.Protocol), fieldTransport.Is(transportOf(l.Protocol)), fieldPort.Is(l.Port))
	if certificates := certificatesOf(l); len(certificates) > 0 {
		fields = fields.With(fieldCertificate.Is(certificates[0]), fieldPolicy.Is(l.ProviderFields[balancer.FieldTLSPolicy]))
	}
	return cloud.Resource{Kind: kindListener, Key: strconv.Itoa(l.Port), Fields: fields}
}

// certificatesOf are the ARNs of the certificates of a TLS listener, the default one first.
func certificatesOf(l cloud.Listener) []string {
	return balancer.List(l.ProviderFields[balancer.FieldCertificates])
}

// transportOf returns what of a protocol stays: TCP and TLS can become each other.
func transportOf(p cloud.Protocol) cloud.Protocol {
	if p == cloud.ProtocolTLS {
		return cloud.ProtocolTCP
	}
	return p
}

// addCertificates adds those besides the default one.
func (p *parts) addCertificates(to *[]cloud.Resource, listener cloud.Resource, arns []string) {
	for i, arn := range arns {
		if i > 0 {
			fields := cloud.FieldsOf(fieldListener.Is(cloud.To(listener.Ref())), fieldCertificate.Is(arn))
			*to = append(*to, cloud.Resource{Kind: kindCertificate, Key: listener.Key + " " + arn, Fields: fields})
		}
	}
}

// at returns the listener at the port, of which there is one whatever its protocol.
func (lb *Balancer) at(port int) *Listener {
	if lb == nil {
		return nil
	}
	for _, l := range lb.listeners {
		if int(aws.ToInt32(l.Port)) == port {
			return &l
		}
	}
	return nil
}

func (p *parts) presentListener(l Listener) cloud.Resource {
	leads := cloud.ToID(l.leadsTo())
	if l.group.TargetGroupArn != nil {
		leads = cloud.To(l.group.Ref())
	}
	r := p.listener(l.view())
	r.ID, r.Fields = aws.ToString(l.ListenerArn), r.Fields.With(fieldTargets.Is(leads))
	return r
}
