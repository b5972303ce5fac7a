package loadbalancer

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// check returns the decision, or another one where the cloud would refuse the balancer. It only
// reads, and only where a balancer is to be made.
func (p *pipeline) check(ctx context.Context, d decide.Decision) (decide.Decision, error) {
	checker := p.manager.cloud.Checker
	if checker == nil || d.Question == nil {
		return d, nil
	}
	err := checker.Check(ctx, d.Question.Spec, d.Question.Before)
	switch {
	case err == nil:
		return d, nil
	case !cloud.IsClass(err, cloud.FailureInvalid) && !cloud.IsClass(err, cloud.FailureQuota) && !cloud.IsClass(err, cloud.FailureNotFound):
		return d, err // nothing is known
	}
	return d.Question.Refused(p.Respell(problem.Unjoin(err))), nil
}
