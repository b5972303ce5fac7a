package decide

import (
	"errors"
	"fmt"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
)

// Next says what comes next, where choose decides with the facts that are there. A fact that is missing is looked for, and then it is asked again:
//
//	fact       looked for where
//	balancer   always
//	–          the cloud works on the balancer: nothing else is looked for or done, unless it is a forecast
//	proof      targets would stay for want of it
//	steps      the portable view shows no difference, and the cloud's balancers consist of several resources
//	whole      more than targets of a balancer change that a list showed: the change would undo what somebody else has done since.
//	            A forecast undoes nothing
//	successor  another balancer is made beside this one
//	answer     a balancer is to be made, or would be if nothing else were wrong
//
// A bulk list is enough to find that there is nothing to do, or that only targets change.
func (c Case) Next(choose func(Case) Decision) Decision {
	f := c.Facts
	switch {
	case f.Balancer == nil:
		return Decision{Action: Look{Fact: FactBalancer}}
	case c.isBusy(*f.Balancer), f.Successor != nil && c.isBusy(*f.Successor):
		return c.wait()
	}
	d := c.bounded(c.withSteps(choose(c)))
	if look := c.missing(d); look != nil {
		d.Action = *look
		return d
	}
	return c.recorded(d)
}

// missing returns the fact that is missing for a decision, nil when none is.
func (c Case) missing(d Decision) *Look {
	change := d.Change()
	switch {
	case len(d.Held) > 0 && !c.Facts.Proved:
		return &Look{Fact: FactProof, Targets: d.Held}
	case c.comparesSteps(d):
		return &Look{Fact: FactSteps, Change: change.Change}
	case c.Facts.FromList && !c.Forecast && change.Rewrites():
		return &Look{Fact: FactWhole}
	case c.findsSuccessor(d):
		return &Look{Fact: FactSuccessor}
	case d.question != nil && c.Facts.Answer == nil && c.Cloud.Checker != nil:
		ask := *d.question
		ask.Known = d.Err != nil
		return &ask
	}
	return nil
}

// isBusy reports whether the balancer is pending, when most clouds refuse changes.
func (c Case) isBusy(o cloud.Observed) bool {
	return !c.Forecast && o.State == cloud.BalancerPending
}

func (c Case) wait() Decision {
	return Decision{Action: Wait{&problem.Pending{After: problem.LookAfter(time.Since(c.Memory.PendingSince())), Reason: problem.Working}}}
}

// comparesSteps reports whether single resources are to be compared, such as a rule of a security group that somebody has deleted.
func (c Case) comparesSteps(d Decision) bool {
	adjust, ok := d.Action.(Adjust)
	return ok && c.Facts.Steps == nil && c.Cloud.Planner != nil && !adjust.TagsWait && !adjust.TargetsWait && len(adjust.Operations) == 0 &&
		adjust.Before.State != cloud.BalancerFailed
}

// withSteps adds the differences of single resources to a decision.
func (c Case) withSteps(d Decision) Decision {
	adjust, ok := d.Action.(Adjust)
	if !ok || c.Facts.Steps == nil || len(adjust.Operations) > 0 || adjust.TagsWait || adjust.TargetsWait {
		return d
	}
	d.Plan.Operations = append(d.Plan.Operations, *c.Facts.Steps...)
	adjust.Operations = *c.Facts.Steps
	d.Action = adjust
	return d
}

// findsSuccessor reports whether the new balancer may be there already, and has to be looked for.
func (c Case) findsSuccessor(d Decision) bool {
	replace, ok := d.Action.(Replace)
	return ok && replace.beside && replace.Begins == nil && c.Facts.Successor == nil
}

// mostRepetitions is how often the same changes may be made before we believe that the
// cloud does not store what it is told.
const mostRepetitions = 3

// Again returns the repetition that one more execution of the change would be.
func (s Subject) Again(change *Change) state.Repetition {
	return s.Memory.Repeated.Again(difference.Fingerprint(s.Asked.Fingerprint, change.Operations))
}

// bounded blocks all operations of a decision that has been carried out too often already.
// A replacement may be: the old balancer can take its time to go, and a new one is not
// replaced again.
func (c Case) bounded(d Decision) Decision {
	change := d.Change()
	switch d.Action.(type) {
	case Replace, MakeAnew:
		return d
	default:
	}
	if change == nil || d.Plan.Empty() || c.Again(change).Times <= mostRepetitions {
		return d
	}
	d.Warnings = append(d.Warnings, problem.Warn(event.NotConverging, fmt.Sprintf(
		"made %d times in a row and needed again: %s", mostRepetitions, difference.Summary(change.Operations))))
	for i := range d.Plan.Operations {
		if op := &d.Plan.Operations[i]; op.Blocked == "" {
			op.Blocked = "the cloud does not keep it"
		}
	}
	switch beside, is := d.Action.(Beside); {
	case is: // the present balancer is looked after all the same
		beside.Operations, beside.After = nil, nil
		d.Action = beside
	case change.Before.Found:
		d.Action = Keep{change.Before}
	default:
		d.Action = Refuse{Before: change.Before}
	}
	if change.Before.Found {
		return d
	}
	d.Err = errors.Join(d.Err, &cloud.Error{Op: "creating balancer", Err: errors.New("the cloud does not keep it")})
	return d
}

// recorded returns the decision, or the annotations that the Service has to have before.
func (c Case) recorded(d Decision) Decision {
	change := d.Change()
	if change == nil || !c.Live || c.Forecast || d.Plan.Empty() {
		return d
	}
	if replace, ok := d.Action.(Replace); ok && replace.Begins != nil {
		d.Action = Record{replace.Begins, &problem.Pending{After: problem.PollFirst, Reason: "the load balancer is about to be replaced"}}
		return d
	}
	if missing := c.Missing(change.Change); missing != nil {
		d.Action = Record{missing, &problem.Pending{After: problem.PollFirst, Reason: "the Service records which parts of the load balancer are its own"}}
	}
	return d
}

// Missing returns which of the annotations for a change the Service does not have, see cloud.Recorder.
func (s Subject) Missing(change cloud.Change) map[string]string {
	if s.Cloud.Recorder == nil {
		return nil
	}
	return request.Missing(s.Asked.Service, s.Cloud.Recorder.Record(change))
}
