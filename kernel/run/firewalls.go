package run

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

type firewalls struct {
	*caller
	next cloud.Firewalls
}

var _ cloud.Firewalls = (*firewalls)(nil)

func (f *firewalls) ObserveFirewall(ctx context.Context) (cloud.ObservedFirewall, error) {
	return call(ctx, f.caller, opObserveFirewall, f.next.ObserveFirewall)
}

func (f *firewalls) NormalizeFirewall(openings []cloud.Opening) ([]cloud.Opening, error) {
	return pure(f.caller, opNormalizeFirewall, func() ([]cloud.Opening, error) {
		return f.next.NormalizeFirewall(openings)
	})
}

func (f *firewalls) ApplyFirewall(ctx context.Context, before cloud.ObservedFirewall, openings []cloud.Opening) error {
	return run(ctx, f.caller, opApplyFirewall, func(ctx context.Context) error {
		return f.next.ApplyFirewall(ctx, before, openings)
	})
}

func (f *firewalls) BalancerOpenings(b cloud.Balancer, id string) []cloud.Opening {
	return f.next.BalancerOpenings(b, id)
}

func (f *firewalls) FirewallEnabled() bool { return f.next.FirewallEnabled() }
