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
	r, ctx, err := m.begin(ctx, svc, nodes)
	if err != nil {
		return Forecast{}, err
	}
	defer r.end()
	if r.Asked.Untouched() {
		return r.forecast(decide.Decision{Plan: r.Plan(nil), Warnings: r.Asked.LeftAlone()}), nil
	}
	r.Forecast = true
	next, err := r.decide(ctx, decide.Case.Choose)
	if r.Facts.Balancer == nil {
		return r.forecast(decide.Decision{Plan: r.Plan(nil)}), err
	}
	if change := next.Change(); err == nil && change != nil {
		next.Plan, err = m.cloud.WithSteps(ctx, next.Plan, change.Change)
	}
	return r.forecast(next), errors.Join(err, next.Err)
}

func (r *reconciliation) forecast(d decide.Decision) Forecast {
	f := Forecast{Plan: d.Plan}
	for _, w := range problem.Merge(append(r.Asked.Warnings, d.Warnings...)) {
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
	r, ctx, err := m.begin(ctx, svc, nodes)
	if err != nil {
		return b, "", err
	}
	defer r.end()
	if err := r.lookOnce(ctx); err != nil {
		return b, "", err
	}
	b, id = r.Facts.Balancer.Balancer, r.Facts.Balancer.ID
	if r.Asked.Untouched() || svc.DeletionTimestamp != nil {
		return b, id, nil
	}
	switch d := r.Choose(); {
	case d.After() != nil:
		return *d.After(), id, nil
	case !r.Facts.Balancer.Found && d.Err != nil && !tooEarly(d.Err):
		return b, "", d.Err
	}
	return b, id, nil
}

// lookOnce finds the machines and the balancer, and takes what is found for what there is.
func (r *reconciliation) lookOnce(ctx context.Context) error {
	r.Facts.Candidates = r.candidates(ctx)
	f, err := r.finder.find(ctx, r.finder.observe)
	r.Facts.Balancer, r.Facts.Conflicts, r.Facts.Clusters = &f.Observed, f.Conflicts, f.Clusters
	return err
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
	r, ctx, err := m.begin(ctx, svc, nodes)
	if err != nil {
		return Explanation{}, err
	}
	defer r.end()
	if err := r.lookOnce(ctx); err != nil {
		return Explanation{}, err
	}
	found, c := *r.Facts.Balancer, r.Facts.Candidates
	e := Explanation{Input: r.Asked.Input, Observed: found, Standing: m.owners.Judge(r.Asked, r.Memory.Created, found), Evidence: owner.Evidence(r.Asked, found), Clusters: r.Facts.Clusters, Err: c.Err}
	for _, conflict := range r.Facts.Conflicts {
		e.Conflicts = append(e.Conflicts, conflict.Err.Error())
	}
	shape := found.Balancer
	if after := r.Choose().After(); after != nil {
		shape = *after
	}
	rules := r.Rules(shape, found)
	rules.Brought, rules.Kept = false, nil
	e.Nodes = target.Roles(nodes, shape, found.Resolve(c.Targets).Balancer.Targets, c, rules)
	return e, nil
}
