package loadbalancer

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/decide"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

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
//	something impossible          a run for it has brought the targets of      refused, also for what the run has looked up
//	                               its balancer to these machines
//	something impossible          is to be compared, or anything else          read: the targets follow
//	                                                                            the nodes
//
// What was looked up counts for the same request and the same machines. Many Services that ask for something impossible cost few
// requests so, and keep nobody waiting.
func (r *reconciliation) refuse(ctx context.Context) error {
	r.impossible = append(slices.Clone(r.Asked.Problems), r.Invalid(r.known())...)
	switch {
	case !r.known():
		return r.withoutBalancer(ctx)
	case len(r.impossible) == 0:
		return nil
	case r.Memory.Retargeted == "" || r.compares:
		return nil
	}
	c := r.candidates(ctx)
	if r.Memory.Retargeted != machines(c) {
		return nil
	}
	problems := r.impossible
	if last := r.Memory.Refusal; r.stillCounts(last) {
		problems = problem.Only(last.Said)
	}
	r.say(slices.Concat(r.Asked.Warnings, problems, c.Warnings())...)
	return problem.Combine(problems)
}

// known reports whether the Service may have a balancer, or names one.
func (r *reconciliation) known() bool { return r.finder.expected() || r.Asked.Adopt != "" }

// withoutBalancer is refuse for a Service without a balancer.
func (r *reconciliation) withoutBalancer(ctx context.Context) error {
	last := r.Memory.Refusal
	switch {
	case r.stillCounts(last) && last.Machines == machines(r.candidates(ctx)):
		r.say(last.Said...)
		return last.Err
	case len(r.impossible) == 0 || r.manager.lookups.Allow():
		return nil
	}
	return r.unread(nil)
}

// For how long counts what was looked up: somebody may mend it in the cloud. Where something has to be mended on the Service
// first, it counts for longer.
const (
	refusalAge    = 30 * time.Second
	impossibleAge = 10 * time.Minute
)

// stillCounts reports whether it is still the answer to a request, which is impossible whatever there is in the cloud, or is not.
func (r *reconciliation) stillCounts(last *state.Refusal) bool {
	age := refusalAge
	if len(r.impossible) > 0 {
		age = impossibleAge
	}
	return last != nil && last.Request == r.request() && time.Since(last.At) < age
}

// request is the same until somebody changes the Service: whoever changes any annotation wants it tried again.
func (r *reconciliation) request() string {
	return difference.Fingerprint(r.Asked.Service.Spec, r.Asked.Service.Annotations)
}

// unread says what is wrong with a Service that was not read, or could not be, and returns it; the other error where nothing is known
// to be wrong.
func (r *reconciliation) unread(err error) error {
	if len(r.impossible) == 0 || r.known() {
		return err
	}
	r.say(slices.Concat(r.Asked.Warnings, r.impossible)...)
	return problem.Combine(r.impossible)
}

// noteRefusal remembers why a Service without a balancer is refused, so that nothing is read when it is tried again.
func (r *reconciliation) noteRefusal(d decide.Decision) {
	r.Memory.Refusal = nil
	if !r.Facts.Balancer.Found && !r.known() {
		r.keepRefusal(d)
	}
}

func (r *reconciliation) keepRefusal(d decide.Decision) {
	if _, refused := errors.AsType[problem.Problems](d.Err); !refused || r.isUnanswered() {
		return
	}
	r.Memory.Refusal = &state.Refusal{
		Request: r.request(), Machines: machines(r.Facts.Candidates), At: time.Now(), Said: slices.Concat(r.Asked.Warnings, d.Warnings), Err: d.Err,
	}
}

// isUnanswered reports whether the cloud did not say whether it would refuse the balancer.
func (r *reconciliation) isUnanswered() bool { return r.Facts.Answer != nil && r.Facts.Answer.Unknown }

// noteRetargeted remembers that the targets of a balancer whose Service asks for something impossible are those of the nodes, and
// that nothing of that is left to do.
func (r *reconciliation) noteRetargeted(d decide.Decision) {
	if len(r.impossible) > 0 && r.Facts.Balancer.Found && len(d.Held) == 0 && r.Live && r.again == 0 {
		r.Memory.Retargeted = machines(r.Facts.Candidates)
		r.keepRefusal(d)
	}
}

// machines is the same for the same candidates, "" where not all are known.
func machines(c target.Candidates) string {
	if c.Err != nil || c.Again > 0 {
		return ""
	}
	return difference.Fingerprint(c.Targets)
}
