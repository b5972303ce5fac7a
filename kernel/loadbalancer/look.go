package loadbalancer

import (
	"context"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// decide looks for what the decision depends on until nothing is missing, and returns it. Plan, dry run and live run alike.
func (r *reconciliation) decide(ctx context.Context, choose func(decide.Case) decide.Decision) (decide.Decision, error) {
	r.Facts.Candidates = r.candidates(ctx)
	for {
		next := r.Next(choose)
		look, missing := next.Action.(decide.Look)
		if !missing {
			return next, nil
		}
		if err := r.look(ctx, look); err != nil {
			return next, err
		}
	}
}

// look finds out one fact. It writes nothing.
func (r *reconciliation) look(ctx context.Context, look decide.Look) (err error) {
	switch look.Fact {
	case decide.FactBalancer:
		return r.lookForBalancer(ctx, r.finder.observe)
	case decide.FactWhole:
		return r.lookForBalancer(ctx, r.finder.read)
	case decide.FactProof:
		r.Facts.Candidates, r.Facts.Proved = r.manager.nodes.Prove(ctx, r.Facts.Candidates, look.Targets), true
	case decide.FactSteps:
		steps, err := r.Cloud.Planner.Steps(ctx, look.Change)
		r.Facts.Steps = &steps
		return err
	case decide.FactSuccessor:
		return r.lookForSuccessor(ctx)
	case decide.FactAnswer:
		r.Facts.Answer, err = r.ask(ctx, look)
	}
	return err
}

// lookForBalancer finds the Service's balancer. A read by id shows no duplicates: those of a list are kept.
func (r *reconciliation) lookForBalancer(ctx context.Context, observe observer) error {
	find := r.finder.findOwned
	if r.Asked.Input.JustTargets {
		find = r.finder.find
	}
	found, err := find(ctx, observe)
	if err != nil {
		return err
	}
	if before := r.Facts.Balancer; before != nil {
		found.Observed.Duplicates = append(found.Observed.Duplicates, before.Duplicates...)
	}
	f := &r.Facts
	f.Balancer, f.Conflicts, f.Clusters = &found.Observed, found.Conflicts, found.Clusters
	f.Proved, f.Steps, f.Answer = false, nil, nil
	if !r.Forecast {
		r.pendingFor(found.Observed.State == cloud.BalancerPending)
	}
	r.Memory.FailedCreation.Saw(r.NeverServed(found.Observed))
	return nil
}

func (r *reconciliation) lookForSuccessor(ctx context.Context) error {
	next, err := r.finder.findSuccessor(ctx, *r.Facts.Balancer)
	if err != nil {
		return err
	}
	r.Facts.Successor, r.Facts.Proved = &next, false
	r.pendingFor(next.State == cloud.BalancerPending)
	return nil
}

// pendingFor notes whether the balancer is pending, and returns for how long it has been.
func (r *reconciliation) pendingFor(pending bool) time.Duration {
	since := r.Memory.PendingSince()
	switch {
	case !pending:
		r.Memory.SetPending(time.Time{})
		return 0
	case since.IsZero():
		since = time.Now()
	}
	r.Memory.SetPending(since)
	return time.Since(since)
}

// ask asks whether the cloud would refuse a balancer.
func (r *reconciliation) ask(ctx context.Context, look decide.Look) (*decide.Answer, error) {
	err := r.Cloud.Checker.Check(ctx, look.Input, look.Before)
	switch {
	case err == nil:
		return &decide.Answer{}, nil
	case isRefusal(err):
		return &decide.Answer{Problems: r.Asked.Respell(problem.Unjoin(err))}, nil
	case look.Known: // what is known is said
		return &decide.Answer{Unknown: true}, nil
	}
	return nil, err // nothing is known
}

// candidates returns the machines behind the nodes, which the driver is told of too.
func (r *reconciliation) candidates(ctx context.Context) target.Candidates {
	c := r.manager.nodes.Candidates(ctx, r.nodes, r.Asked.Selector)
	r.Asked.Input.Candidates = c.Targets
	return c
}
