package aws

import (
	"context"
	"errors"
	"fmt"
	"slices"

	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/failure"
)

// addListeners makes listeners that are missing and changes others. What AWS can't change is
// deleted and made anew.
func (c *classicChange) addListeners(ctx context.Context) error {
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
		switch certificate := want.ProviderFields[fieldCertificates]; {
		case c.made[want.Port]:
		case recreates(have, want):
			err = c.replaceListener(ctx, have, want)
		case certificate != have.ProviderFields[fieldCertificates]:
			err = c.setCertificate(ctx, want.Port, certificate)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *classicChange) hasPort(b cloud.Balancer, port int) bool {
	return slices.ContainsFunc(b.Listeners, func(l cloud.Listener) bool { return l.Port == port })
}

func (c *classicChange) createListeners(ctx context.Context, list ...cloud.Listener) error {
	if len(list) == 0 {
		return nil
	}
	_, err := c.Classic.CreateLoadBalancerListeners(ctx, &elb.CreateLoadBalancerListenersInput{LoadBalancerName: c.lb().LoadBalancerName, Listeners: classicInputs(list)})
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
func (c *classicChange) replaceListener(ctx context.Context, have, want cloud.Listener) error {
	if err := c.deleteListeners(ctx, have.Port); err != nil {
		return err
	}
	err := c.createListeners(ctx, want)
	if err == nil || failure.Classify(err).Class == cloud.FailureTransient || failure.Classify(err).Class == cloud.FailureThrottled {
		return err
	}
	return errors.Join(err, c.createListeners(ctx, have), c.setListenerPolicies(ctx, have))
}

func (c *classicChange) deleteListeners(ctx context.Context, ports ...int) error {
	input := &elb.DeleteLoadBalancerListenersInput{LoadBalancerName: c.lb().LoadBalancerName}
	for _, port := range ports {
		input.LoadBalancerPorts = append(input.LoadBalancerPorts, int32(port)) //nolint:gosec // a port
	}
	if len(ports) == 0 {
		return nil
	}
	_, err := c.Classic.DeleteLoadBalancerListeners(ctx, input)
	return failure.Wrap(err, "deleting listeners of classic balancer "+c.lb().name())
}

func (c *classicChange) setCertificate(ctx context.Context, port int, certificate string) error {
	_, err := c.Classic.SetLoadBalancerListenerSSLCertificate(ctx, &elb.SetLoadBalancerListenerSSLCertificateInput{
		LoadBalancerName: c.lb().LoadBalancerName, LoadBalancerPort: int32(port), SSLCertificateId: &certificate, //nolint:gosec // a port
	})
	return failure.Wrap(err, fmt.Sprintf("setting the certificate for port %d of classic balancer %s", port, c.lb().name()))
}

// dropListeners deletes those that are not wanted.
func (c *classicChange) dropListeners(ctx context.Context) error {
	var ports []int
	for _, l := range c.have.Listeners {
		if !c.hasPort(c.want, l.Port) {
			ports = append(ports, l.Port)
		}
	}
	return c.deleteListeners(ctx, ports...)
}
