package loadbalancer

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// question is what has to be asked of the cloud before a decision is carried out.
type question struct {
	spec cloud.Spec
	// before is the balancer that is deleted first.
	before cloud.Observed
	// refused is the decision when the cloud would refuse.
	refused func([]problem.Problem) decision
}

// check returns the decision, or another one where the cloud would refuse the balancer. It only
// reads, and only where a balancer is to be made.
func (p *pipeline) check(ctx context.Context, d decision) (decision, error) {
	checker := p.manager.cloud.Checker
	if checker == nil || d.question == nil {
		return d, nil
	}
	err := checker.Check(ctx, d.question.spec, d.question.before)
	switch {
	case err == nil:
		return d, nil
	case !cloud.IsClass(err, cloud.FailureInvalid) && !cloud.IsClass(err, cloud.FailureQuota) && !cloud.IsClass(err, cloud.FailureNotFound):
		return d, err // nothing is known
	}
	return d.question.refused(p.Respell(problem.Unjoin(err))), nil
}
