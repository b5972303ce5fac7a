package loadbalancer

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// refusal judges what needs no reading to be refused.
type refusal struct{ *pipeline }

// refuse returns what is wrong with a Service that needs no reading to be refused, nil where it is to be read:
//
//	the Service asks for          and                                          it is
//	what is possible, for all     –                                            read
//	 that is known so far
//	something impossible          has no balancer, as far as it and this       refused
//	                               process know
//	something impossible          a run for it has brought the targets of      refused
//	                               its balancer to these machines
//	something impossible          is to be compared, or anything else          read: the targets follow
//	                                                                            the nodes
//
// Whoever writes something impossible again and again costs no request so, and keeps nobody waiting.
func (p refusal) refuse(ctx context.Context, nodes []*corev1.Node) error {
	known := p.expected() || p.Adopt != ""
	problems := append(slices.Clone(p.Problems), p.invalid(known)...)
	p.impossible = len(problems) > 0
	switch {
	case len(problems) == 0:
		return nil
	case !known:
		p.say(append(p.Warnings, problems...)...)
		return problem.Combine(problems)
	case p.state.Retargeted == "" || p.compares:
		return nil
	}
	c := p.candidates(ctx, nodes)
	if p.state.Retargeted != machines(c) {
		return nil
	}
	p.say(slices.Concat(p.Warnings, problems, c.Warnings())...)
	return problem.Combine(problems)
}

// invalid is what the driver finds wrong without a reading.
func (p refusal) invalid(exists bool) []problem.Warning {
	validator := p.manager.cloud.Validator
	if validator == nil {
		return nil
	}
	if err := validator.Validate(p.Input.Spec, exists); err != nil {
		return p.Respell(problem.Unjoin(err))
	}
	return nil
}

// retargeted remembers that the targets of a balancer whose Service asks for something impossible are those of the nodes, and
// that nothing of that is left to do.
func (p refusal) retargeted(d decide.Decision) {
	if p.impossible && d.Change.Before.Found && len(d.Held) == 0 && p.live() && p.revisit == 0 {
		p.state.Retargeted = p.machines
	}
}

// machines is the same for the same candidates, "" where not all are known.
func machines(c target.Candidates) string {
	if c.Err != nil || c.Again > 0 {
		return ""
	}
	return difference.Fingerprint(c.Targets)
}
