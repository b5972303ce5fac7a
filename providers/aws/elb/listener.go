package elb

import (
	"context"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
)

// viewListeners are the listeners the balancer has.
func (b *Balancer) viewListeners(spec cloud.Spec) []cloud.Listener {
	var list []cloud.Listener
	for _, description := range b.ListenerDescriptions {
		have := description.Listener
		if have == nil {
			continue
		}
		l := cloud.Listener{
			Protocol: cloud.ProtocolOf(aws.ToString(have.Protocol)), Port: int(have.LoadBalancerPort),
			TargetProtocol: cloud.ProtocolOf(aws.ToString(have.InstanceProtocol)), TargetPort: int(aws.ToInt32(have.InstancePort)),
		}
		l.ProviderFields = map[string]string{balancer.FieldProxy: strconv.FormatBool(slices.Contains(b.proxied(), strconv.Itoa(l.TargetPort)))}
		if l.Protocol == desired.ProtocolSSL || l.Protocol == cloud.ProtocolHTTPS {
			l.ProviderFields[balancer.FieldCertificates] = aws.ToString(have.SSLCertificateId)
			l.ProviderFields[balancer.FieldTLSPolicy] = b.viewPolicy(description.PolicyNames, spec)
		}
		list = append(list, l)
	}
	cloud.SortListeners(list)
	return list
}

// listener returns a listener of the balancer.
func (p *parts) listener(l cloud.Listener) cloud.Resource {
	r := p.part(kindListener, strconv.Itoa(l.Port), map[string]any{
		"Protocol": l.Protocol, "InstanceProtocol": l.TargetProtocol, "InstancePort": l.TargetPort,
		"SSLCertificateId": l.ProviderFields[balancer.FieldCertificates],
	})
	r.Native = l
	return r
}

// tryCertificates gives listeners with a certificate a trial at a port that nobody uses, for where they
// are made again: there is one listener at each port, so that the one before has to go first, and AWS
// may refuse the certificate, which may be gone since it was given to the one before.
func (p *parts) tryCertificates(before, after cloud.Balancer) {
	port := 65535
	for slices.ContainsFunc(slices.Concat(before.Listeners, after.Listeners), func(l cloud.Listener) bool { return l.Port == port }) {
		port--
	}
	for i, r := range p.Wanted {
		l, is := r.Native.(cloud.Listener)
		if is && l.ProviderFields[balancer.FieldCertificates] != "" {
			l.Port = port
			p.Wanted[i].Trial = new(p.listener(l))
		}
	}
}

// listenerInput is a listener as AWS is asked for it.
func listenerInput(l cloud.Listener) types.Listener {
	input := types.Listener{
		Protocol: new(string(l.Protocol)), LoadBalancerPort: int32(l.Port), //nolint:gosec // a port
		InstanceProtocol: new(string(l.TargetProtocol)), InstancePort: new(int32(l.TargetPort)), //nolint:gosec // a port
	}
	if certificate := l.ProviderFields[balancer.FieldCertificates]; certificate != "" {
		input.SSLCertificateId = &certificate
	}
	return input
}

func listeners(parts ...cloud.Resource) []types.Listener {
	var list []types.Listener
	for _, part := range parts {
		l, _ := part.Native.(cloud.Listener)
		list = append(list, listenerInput(l))
	}
	return list
}

func (e *Balancers) createListeners(ctx context.Context, wanted []cloud.Resource) error {
	_, err := e.Client.CreateLoadBalancerListeners(ctx, &sdk.CreateLoadBalancerListenersInput{LoadBalancerName: nameOf(wanted[0]), Listeners: listeners(wanted...)})
	return err
}

func (e *Balancers) deleteListeners(ctx context.Context, present []cloud.Resource) error {
	input := &sdk.DeleteLoadBalancerListenersInput{LoadBalancerName: nameOf(present[0])}
	for _, l := range listeners(present...) {
		input.LoadBalancerPorts = append(input.LoadBalancerPorts, l.LoadBalancerPort)
	}
	_, err := e.Client.DeleteLoadBalancerListeners(ctx, input)
	return err
}

func (e *Balancers) setCertificate(ctx context.Context, _, wanted cloud.Resource, _ []string) error {
	l := listeners(wanted)[0]
	_, err := e.Client.SetLoadBalancerListenerSSLCertificate(ctx, &sdk.SetLoadBalancerListenerSSLCertificateInput{
		LoadBalancerName: nameOf(wanted), LoadBalancerPort: l.LoadBalancerPort, SSLCertificateId: l.SSLCertificateId,
	})
	return err
}
