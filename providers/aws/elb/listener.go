package elb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"
	"github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/elb/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// addListeners makes listeners that are missing and changes others. What AWS can't change is
// deleted and made anew.
func (c *update) addListeners(ctx context.Context) error {
	var missing []cloud.Listener
	for _, want := range c.want.Listeners {
		if !c.hasPort(c.have, want.Port) {
			missing = append(missing, want)
		}
	}
	if err := c.createListeners(ctx, missing...); err != nil {
		return err
	}
	for _, want := range c.want.Listeners {
		have := c.listener(want)
		var err error
		switch certificate := want.ProviderFields[balancer.FieldCertificates]; {
		case c.made[want.Port]:
		case recreates(have, want):
			err = c.replaceListener(ctx, have, want)
		case certificate != have.ProviderFields[balancer.FieldCertificates]:
			err = c.setCertificate(ctx, want.Port, certificate)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *update) hasPort(b cloud.Balancer, port int) bool {
	return slices.ContainsFunc(b.Listeners, func(l cloud.Listener) bool { return l.Port == port })
}

func (c *update) createListeners(ctx context.Context, list ...cloud.Listener) error {
	if len(list) == 0 {
		return nil
	}
	_, err := c.client.CreateLoadBalancerListeners(ctx, &sdk.CreateLoadBalancerListenersInput{LoadBalancerName: c.lb().LoadBalancerName, Listeners: listenerInputs(list)})
	if err != nil {
		return fmt.Errorf("creating listeners of classic balancer %s: %w", c.lb().name(), err)
	}
	for _, l := range list {
		c.made[l.Port] = true
	}
	return nil
}

// replaceListener deletes a listener and makes another one at its port. When AWS refuses that one
// the first is made again: a mistake in an annotation must not end what serves.
func (c *update) replaceListener(ctx context.Context, have, want cloud.Listener) error {
	if err := c.deleteListeners(ctx, have.Port); err != nil {
		return err
	}
	err := c.createListeners(ctx, want)
	if err == nil || failure.Classify(err).Class == cloud.FailureTransient || failure.Classify(err).Class == cloud.FailureThrottled {
		return err
	}
	return errors.Join(err, c.createListeners(ctx, have), c.setListenerPolicies(ctx, have))
}

func (c *update) deleteListeners(ctx context.Context, ports ...int) error {
	input := &sdk.DeleteLoadBalancerListenersInput{LoadBalancerName: c.lb().LoadBalancerName}
	for _, port := range ports {
		input.LoadBalancerPorts = append(input.LoadBalancerPorts, int32(port)) //nolint:gosec // a port
	}
	if len(ports) == 0 {
		return nil
	}
	_, err := c.client.DeleteLoadBalancerListeners(ctx, input)
	return failure.Wrap(err, "deleting listeners of classic balancer "+c.lb().name())
}

func (c *update) setCertificate(ctx context.Context, port int, certificate string) error {
	_, err := c.client.SetLoadBalancerListenerSSLCertificate(ctx, &sdk.SetLoadBalancerListenerSSLCertificateInput{
		LoadBalancerName: c.lb().LoadBalancerName, LoadBalancerPort: int32(port), SSLCertificateId: &certificate, //nolint:gosec // a port
	})
	return failure.Wrap(err, fmt.Sprintf("setting the certificate for port %d of classic balancer %s", port, c.lb().name()))
}

// dropListeners deletes those that are not wanted.
func (c *update) dropListeners(ctx context.Context) error {
	var ports []int
	for _, l := range c.have.Listeners {
		if !c.hasPort(c.want, l.Port) {
			ports = append(ports, l.Port)
		}
	}
	return c.deleteListeners(ctx, ports...)
}

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
		l.ProviderFields = map[string]string{balancer.FieldProxy: strconv.FormatBool(slices.Contains(b.backendPolicies(l.TargetPort), proxyPolicy))}
		if l.Protocol == desired.ProtocolSSL || l.Protocol == cloud.ProtocolHTTPS {
			l.ProviderFields[balancer.FieldCertificates] = aws.ToString(have.SSLCertificateId)
			l.ProviderFields[balancer.FieldTLSPolicy] = b.viewPolicy(description.PolicyNames, spec)
		}
		list = append(list, l)
	}
	cloud.SortListeners(list)
	return list
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

func listenerInputs(list []cloud.Listener) []types.Listener {
	inputs := make([]types.Listener, len(list))
	for i, l := range list {
		inputs[i] = listenerInput(l)
	}
	return inputs
}

// recreates reports whether a listener has to be made anew to become another: AWS changes its
// certificate and policies only.
func recreates(have, want cloud.Listener) bool {
	return have.Protocol != want.Protocol || have.TargetProtocol != want.TargetProtocol || have.TargetPort != want.TargetPort
}
