package run

import (
	"context"
	"errors"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// classified is an error whose class the fake driver knows.
type classified struct{ cloud.Failure }

func (e *classified) Error() string { return "fake " + string(e.Class) }

func failing(class cloud.Class) error { return &classified{cloud.Failure{Class: class}} }

// fakeDriver implements everything; each call runs do.
type fakeDriver struct {
	do func(ctx context.Context) error
}

func (f *fakeDriver) Classify(err error) cloud.Failure {
	if e, ok := errors.AsType[*classified](err); ok {
		return e.Failure
	}
	return cloud.Failure{Class: cloud.FailureUnknown}
}

func (f *fakeDriver) Identity(ctx context.Context) (cloud.Identity, error) {
	return cloud.Identity{Account: "a"}, f.do(ctx)
}
func (f *fakeDriver) Instances() cloud.Instances { return fakeInstances{f} }

func (f *fakeDriver) Observe(ctx context.Context, _ cloud.Input) (cloud.Observed, error) {
	return cloud.Observed{Found: true}, f.do(ctx)
}
func (f *fakeDriver) Normalize(cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	return cloud.Balancer{Name: "b"}, []cloud.Warning{{Field: "f"}}, f.do(context.Background())
}
func (f *fakeDriver) Eligible(cloud.Balancer, cloud.Target) string { return "" }
func (f *fakeDriver) Apply(ctx context.Context, _ cloud.Change) (cloud.Progress, error) {
	return cloud.Progress{Pending: true}, f.do(ctx)
}

func (f *fakeDriver) ListRoutes(ctx context.Context, _ cloud.Owner) ([]cloud.Route, error) {
	return nil, f.do(ctx)
}
func (f *fakeDriver) CreateRoute(ctx context.Context, _ cloud.Owner, _ cloud.Route) error {
	return f.do(ctx)
}
func (f *fakeDriver) DeleteRoute(ctx context.Context, _ cloud.Owner, _ cloud.Route) error {
	return f.do(ctx)
}

func (f *fakeDriver) ObserveFirewall(ctx context.Context) (cloud.ObservedFirewall, error) {
	return cloud.ObservedFirewall{}, f.do(ctx)
}
func (f *fakeDriver) NormalizeFirewall(o []cloud.Opening) ([]cloud.Opening, error) {
	return o, f.do(context.Background())
}
func (f *fakeDriver) ApplyFirewall(ctx context.Context, _ cloud.ObservedFirewall, _ []cloud.Opening) error {
	return f.do(ctx)
}
func (f *fakeDriver) BalancerOpenings(cloud.Balancer, string) []cloud.Opening { return nil }

type fakeInstances struct{ *fakeDriver }

func (f fakeInstances) ParseProviderID(string) (cloud.InstanceID, error) {
	return "1", f.do(context.Background())
}
func (f fakeInstances) List(ctx context.Context) (cloud.InstanceList, error) {
	return cloud.InstanceList{Complete: true}, f.do(ctx)
}
func (f fakeInstances) Get(ctx context.Context, _ ...cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error) {
	return nil, f.do(ctx)
}
func (f fakeInstances) FindByName(ctx context.Context, _ string) ([]cloud.Instance, error) {
	return nil, f.do(ctx)
}

// driverCall is one I/O method behind the decorators.
type driverCall struct {
	op   string
	read bool
	call func(ctx context.Context, c *Cloud) error
}

// driverCalls are all I/O methods there are.
func driverCalls() []driverCall {
	return []driverCall{
		{"identity", true, func(ctx context.Context, c *Cloud) error { _, err := c.Account.Identity(ctx); return err }},
		{"list instances", true, func(ctx context.Context, c *Cloud) error { _, err := c.Instances.List(ctx); return err }},
		{"get instances", true, func(ctx context.Context, c *Cloud) error {
			_, err := c.Instances.Get(ctx, "1")
			return err
		}},
		{"find instance", true, func(ctx context.Context, c *Cloud) error {
			_, err := c.Instances.FindByName(ctx, "n")
			return err
		}},
		{"observe balancer", true, func(ctx context.Context, c *Cloud) error {
			_, err := c.Balancers.Observe(ctx, cloud.Input{})
			return err
		}},
		{"apply balancer", false, func(ctx context.Context, c *Cloud) error {
			_, err := c.Balancers.Apply(ctx, cloud.Change{})
			return err
		}},
		{"list routes", true, func(ctx context.Context, c *Cloud) error {
			_, err := c.Routes.ListRoutes(ctx, cloud.Owner{})
			return err
		}},
		{"create route", false, func(ctx context.Context, c *Cloud) error {
			return c.Routes.CreateRoute(ctx, cloud.Owner{}, cloud.Route{})
		}},
		{"delete route", false, func(ctx context.Context, c *Cloud) error {
			return c.Routes.DeleteRoute(ctx, cloud.Owner{}, cloud.Route{})
		}},
		{"observe firewall", true, func(ctx context.Context, c *Cloud) error { _, err := c.Firewalls.ObserveFirewall(ctx); return err }},
		{"apply firewall", false, func(ctx context.Context, c *Cloud) error {
			return c.Firewalls.ApplyFirewall(ctx, cloud.ObservedFirewall{}, nil)
		}},
	}
}
