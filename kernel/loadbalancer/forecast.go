package loadbalancer

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// Forecast is what Ensure would do and say now.
type Forecast struct {
	Plan plan.Plan
	// Warnings are the events that Ensure would record, one for each reason.
	Warnings []plan.Warning
}

// Plan returns what Ensure would do now. It only reads and records no event. Together with
// an error it returns what would be done in spite of it.
func (m *Manager) Plan(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (plan.Plan, error) {
	f, err := m.Forecast(ctx, svc, nodes)
	return f.Plan, err
}

// Forecast is Plan with what would be said. While the cloud is busy with the balancer Ensure waits;
// the plan is then for the state that the cloud shows meanwhile.
func (m *Manager) Forecast(ctx context.Context, svc *corev1.Service, nodes []*corev1.Node) (Forecast, error) {
	p, ctx, err := m.begin(ctx, svc)
	if err != nil {
		return Forecast{}, err
	}
	defer p.end()
	if p.Untouched() {
		return p.forecast(decide.Decision{Plan: p.policy.Plan(nil), Warnings: p.leftAlone()}), nil
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
