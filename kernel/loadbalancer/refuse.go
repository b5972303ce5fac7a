package loadbalancer

import (
	"context"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// refusal judges what can be refused before anything is read.
type refusal struct{ *pipeline }

// refuse returns what is wrong with a Service that needs no reading to be refused, nil where it is to be read:
//
//	the Service asks for          and                                          it is
//	what is possible, for all     has a balancer, or was not refused           read
//	 that is known so far          a moment ago
//	what is possible, for all     what was looked up a moment ago has          refused
//	 that is known so far          shown that it is not
//	something impossible          has no balancer, as far as it and this       refused
//	                               process know, and what else is wrong
//	                               was looked up some minutes ago
//	something impossible          has no balancer, and that was not looked up  read, so that all problems are said at once;
//	                                                                            refused while many others are
//	something impossible          a run for it has brought the targets of      refused
//	                               its balancer to these machines
//	something impossible          is to be compared, or anything else          read: the targets follow
//	                                                                            the nodes
//
// What was looked up counts for the same request and the same machines. Many Services that ask for something impossible cost few
// requests so, and keep nobody waiting.
func (p refusal) refuse(ctx context.Context, nodes []*corev1.Node) error {
	p.impossible = append(slices.Clone(p.Problems), p.policy.Invalid(p.known())...)
	switch {
	case !p.known():
		return p.withoutBalancer(ctx, nodes)
	case len(p.impossible) == 0:
		return nil
	case p.state.Retargeted == "" || p.compares:
		return nil
	}
	c := p.candidates(ctx, nodes)
	if p.state.Retargeted != machines(c) {
		return nil
	}
	p.say(slices.Concat(p.Warnings, p.impossible, c.Warnings())...)
	return problem.Combine(p.impossible)
}

// known reports whether the Service may have a balancer, or names one.
func (p refusal) known() bool { return p.expected() || p.Adopt != "" }

// withoutBalancer is refuse for a Service without a balancer.
func (p refusal) withoutBalancer(ctx context.Context, nodes []*corev1.Node) error {
	last := p.state.Refusal
	switch {
	case last.Counts(p.request(), len(p.impossible) > 0) && last.Machines == machines(p.candidates(ctx, nodes)):
		p.say(last.Said...)
		return last.Err
	case len(p.impossible) == 0 || p.manager.lookups.Allow():
		return nil
	}
	return p.unread(nil)
}

// request is the same until somebody changes the Service: whoever changes any annotation wants it tried again.
func (p refusal) request() string {
	return difference.Fingerprint(p.Service.Spec, p.Service.Annotations)
}

// unread says what is wrong with a Service that was not read, or could not be, and returns it; the other error where nothing is known
// to be wrong.
func (p refusal) unread(err error) error {
	if len(p.impossible) == 0 || p.known() {
		return err
	}
	p.say(slices.Concat(p.Warnings, p.impossible)...)
	return problem.Combine(p.impossible)
}

// note remembers why a Service without a balancer is refused, so that nothing is read when it is tried again.
func (p refusal) note(f decide.Finding, d decide.Decision) {
	p.state.Refusal = nil
	if _, refused := errors.AsType[problem.Problems](d.Err); refused && !d.Unanswered && !f.Observed.Found && !p.known() {
		p.state.Refusal = &state.Refusal{
			Request: p.request(), Machines: p.machines, At: time.Now(), Said: slices.Concat(p.Warnings, d.Warnings), Err: d.Err,
		}
	}
}

// retargeted remembers that the targets of a balancer whose Service asks for something impossible are those of the nodes, and
// that nothing of that is left to do.
func (p refusal) retargeted(d decide.Decision) {
	if len(p.impossible) > 0 && d.Change.Before.Found && len(d.Held) == 0 && p.live() && p.revisit == 0 {
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
