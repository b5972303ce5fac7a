package loadbalancer

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/owner"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// Forecast is what Ensure would do and say now.
type Forecast struct {
	Plan plan.Plan
	// Warnings are the events that Ensure would record, one for each reason.
	Warnings []plan.Warning
}

// Forecast returns what Ensure would do and say now. It only reads and records no event. Together with
// an error it returns what would be done in spite of it. While the cloud is busy with the balancer Ensure waits;
// the plan is then for the state that the cloud shows meanwhile.
func (m *Manager) Forecast(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (Forecast, error) {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return Forecast{}, err
	}
	defer p.end()
	if p.Untouched() {
		return p.forecast(decide.Decision{Plan: p.policy.Plan(nil), Warnings: p.LeftAlone()}), nil
	}
	c := p.candidates(ctx, nodes)
	f, err := p.findOwned(ctx, p.observe)
	if err != nil {
		return p.forecast(decide.Decision{Plan: p.policy.Plan(nil)}), err
	}
	d := p.proven(ctx, &c, func(c target.Candidates) decide.Decision { return p.policy.Decide(f, c) })
	if d, err = p.compareResources(ctx, d); err == nil {
		d, err = p.consult(ctx, f, c, d)
	}
	if err == nil {
		d.Plan, err = m.cloud.WithSteps(ctx, d.Plan, d.Change)
	}
	return p.forecast(d), errors.Join(err, d.Err)
}

func (p *pipeline) forecast(d decide.Decision) Forecast {
	f := Forecast{Plan: d.Plan}
	for _, w := range problem.Merge(append(p.Warnings, d.Warnings...)) {
		f.Warnings = append(f.Warnings, plan.Warning{Reason: w.Reason.Name, Message: w.Message})
	}
	return f
}

// Desired returns what the firewall in front of the nodes has to let through: the balancer as
// the next Ensure leaves it, and its id, "" while it does not exist. It only reads.
//
//	Service                         balancer
//	not ours, or being deleted      as it is
//	asks for something possible     as it will be
//	asks for something impossible   as it is; an error when there is none
//	wants another balancer instead  as it is, until that one exists
func (m *Manager) Desired(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (b cloud.Balancer, id string, err error) {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return b, "", err
	}
	defer p.end()
	c := p.candidates(ctx, nodes)
	f, err := p.find(ctx, p.observe)
	if err != nil {
		return b, "", err
	}
	b, id = f.Observed.Balancer, f.Observed.ID
	if p.Untouched() || svc.DeletionTimestamp != nil {
		return b, id, nil
	}
	switch d := p.policy.Choose(f, c); {
	case d.Change.After != nil:
		return *d.Change.After, id, nil
	case !f.Observed.Found && d.Err != nil && !tooEarly(d.Err):
		return b, "", d.Err
	}
	return b, id, nil
}

// tooEarly reports whether the error only says that it is not yet time.
func tooEarly(err error) bool {
	pending, ok := errors.AsType[*Pending](err)
	return ok && pending.Err == nil
}

// Explanation is what is known of a Service's balancer and of the nodes it could use. It is for
// people: nothing is decided by it.
type Explanation struct {
	// Spec is what the Service asks for, as it is given to the driver.
	Input cloud.Input
	// Observed is what was found. Found is false when there is none that the Service may have.
	Observed cloud.Observed
	Standing safety.Ownership
	// Evidence says what led to it, and why it is the Service's.
	Evidence []string
	// Conflicts are what the Service names and may not have.
	Conflicts []string
	// Clusters are those that ownership tags of the load balancers name which were found, the Service's or not.
	Clusters []string
	// Nodes are those that were named, by name.
	Nodes []NodeRole
	// Err says why the nodes are not known whole.
	Err error
}

// NodeRole is what becomes of a node.
type NodeRole = target.Role

// Explain reads what the Service has. It records no event and changes nothing.
func (m *Manager) Explain(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (Explanation, error) {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return Explanation{}, err
	}
	defer p.end()
	c := p.candidates(ctx, nodes)
	f, err := p.find(ctx, p.observe)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Input: p.Input, Observed: f.Observed, Standing: m.owners.Judge(p.Request, p.state.Created, f.Observed), Evidence: owner.Evidence(p.Request, f.Observed), Clusters: f.Clusters, Err: c.Err}
	for _, conflict := range f.Conflicts {
		e.Conflicts = append(e.Conflicts, conflict.Err.Error())
	}
	shape := f.Observed.Balancer
	if d := p.policy.Choose(f, c); d.Change.After != nil {
		shape = *d.Change.After
	}
	e.Nodes = target.Roles(nodes, shape, f.Observed.Resolve(c.Targets).Balancer.Targets, c, target.Rules{
		Balancers: m.cloud.Balancers, Limit: m.cloud.MaxTargets(shape), Refused: p.state.RefusedBy(f.Observed.ID), Listeners: f.Observed.Balancer.Listeners,
	})
	return e, nil
}
