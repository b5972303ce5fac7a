package run

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
)

type balancers struct {
	*caller
	cloud.Balancers
	// network is nil where the driver has no NetworkReader.
	network *network
}

func (b *balancers) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	return b.observe(ctx, b.Balancers, in)
}

// observe looks for a balancer in the cloud, or in a bulk list of it.
func (b *balancers) observe(ctx context.Context, from cloud.BulkList, in cloud.Input) (cloud.Observed, error) {
	if b.network != nil {
		in.Network = b.network.of(in.Known)
	}
	observed, err := call(ctx, b.caller, opObserveBalancer, func(ctx context.Context) (cloud.Observed, error) {
		return from.Observe(ctx, in)
	})
	observed.Addresses = b.can.UsableBalancer(observed.Addresses)
	return observed, b.network.doubtedBy(err)
}

func (b *balancers) Normalize(in cloud.Input) (cloud.Balancer, []cloud.Warning, error) {
	var notes []cloud.Warning
	balancer, err := pure(b.caller, opNormalizeBalancer, func() (balancer cloud.Balancer, err error) {
		balancer, notes, err = b.Balancers.Normalize(in)
		return balancer, err
	})
	return balancer, notes, b.network.doubtedBy(err)
}

func (b *balancers) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	progress, err := call(ctx, b.caller, opApplyBalancer, func(ctx context.Context) (cloud.Progress, error) {
		progress, err := b.Balancers.Apply(ctx, change)
		progress.Pending = progress.Pending || len(progress.Operations) > 0
		return progress, err
	})
	if told := progress.Observed; told != nil {
		told.Addresses = b.can.UsableBalancer(told.Addresses)
	}
	return progress, b.network.doubtedBy(err)
}

type planner struct {
	*caller
	next composite.Planner
}

func (p *planner) Steps(ctx context.Context, change cloud.Change) ([]cloud.Operation, error) {
	return call(ctx, p.caller, opPlanBalancer, func(ctx context.Context) ([]cloud.Operation, error) {
		return p.next.Steps(ctx, change)
	})
}

func (p *planner) Forecast(ctx context.Context, change cloud.Change) ([]cloud.Operation, error) {
	return call(ctx, p.caller, opPlanBalancer, func(ctx context.Context) ([]cloud.Operation, error) {
		return p.next.Forecast(ctx, change)
	})
}

type checker struct {
	*caller
	next cloud.Checker
	// network is that of balancers.
	network *network
}

func (c *checker) Check(ctx context.Context, in cloud.Input, before cloud.Observed) error {
	return c.network.doubtedBy(run(ctx, c.caller, opCheckBalancer, func(ctx context.Context) error { return c.next.Check(ctx, in, before) }))
}

type validator struct {
	*caller
	next cloud.Validator
}

func (v *validator) Validate(spec cloud.Spec, exists bool) error {
	_, err := pure(v.caller, opNormalizeBalancer, func() (struct{}, error) { return struct{}{}, v.next.Validate(spec, exists) })
	return err
}

type bulkLister struct {
	of   *balancers
	next cloud.BulkLister
}

func (s *bulkLister) ListBalancers(ctx context.Context) (cloud.BulkList, error) {
	list, err := call(ctx, s.of.caller, opListBalancers, s.next.ListBalancers)
	return &bulkList{s.of, list}, err
}

type bulkList struct {
	of   *balancers
	next cloud.BulkList
}

func (l *bulkList) Observe(ctx context.Context, in cloud.Input) (cloud.Observed, error) {
	return l.of.observe(ctx, l.next, in)
}

type ownedLister struct {
	*caller
	next cloud.OwnedLister
}

func (o *ownedLister) ListOwned(ctx context.Context, us cloud.Owner) ([]cloud.OwnedBalancer, error) {
	owned, err := call(ctx, o.caller, opListBalancers, func(ctx context.Context) ([]cloud.OwnedBalancer, error) { return o.next.ListOwned(ctx, us) })
	for n := range owned {
		owned[n].Addresses = o.can.UsableBalancer(owned[n].Addresses)
	}
	return owned, err
}
