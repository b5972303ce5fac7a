// Package decide says what has to be done about the load balancer of a Service, and what has to be said.
// It does no I/O: what it knows is the request, what was found, the candidates and what is remembered.
package decide

import (
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/request"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/state"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Policy decides what has to be done about the balancer of one Service. It does no I/O.
type Policy struct {
	*request.Request
	Cloud *run.Cloud
	State *state.Service
}

// Decide is the heart of the pipeline. It does no I/O.
func (p Policy) Decide(f Finding, c target.Candidates) Decision { return p.Restrain(p.Choose(f, c)) }

// Choose decides as if it were the first time:
//
//	problems  found  immutable fields  decision
//	-         yes    -                 delete what failed before it ever served
//	yes       no     -                 nothing
//	yes       yes    -                 targets only
//	no        no     -                 create, once a node can be a target; nothing where its nodes would not answer, see unanswered
//	no        yes    same              differences
//	no        yes    differ            differences without them, which are blocked
//	no        yes    differ, allowed   see replace
func (p Policy) Choose(f Finding, c target.Candidates) Decision {
	observed := f.Observed.Resolve(c.Targets)
	if observed.Found && p.failedOnCreate(observed) {
		return p.recreate(observed, c)
	}
	problems := slices.Concat(p.Problems, p.Invalid(observed.Found), f.Conflicts, p.unadopted(f))
	s, err := desiredOf(p.Cloud.Balancers, p.Complete(observed, c.Targets), observed, p.Cloud.Descriptor.Capabilities.Immutable)
	if err != nil {
		problems = problem.Add(problems, p.Respell(problem.Unjoin(err)))
	}
	s.warnings = p.RespellWarnings(s.warnings)
	if len(problems) == 0 && !observed.Found {
		problems = p.unanswered(s)
	}
	switch {
	case len(problems) > 0:
		d := p.impossible(problems, observed, c)
		if err == nil && !observed.Found {
			d.Question = &question{Input: s.input, Before: observed, Refused: func(more []problem.Warning) Decision {
				return p.impossible(problem.Add(problems, more), observed, c)
			}}
		}
		return d
	case !observed.Found:
		return p.create(s, observed, c)
	case len(s.blocked) > 0 && !observed.Protected && p.mayReplace(s, c) && len(p.unanswered(s)) == 0:
		return p.replace(s, f, c)
	}
	return p.adjust(s, observed, c)
}

// Invalid is what the driver finds wrong without a reading. exists says that there is a balancer.
func (p Policy) Invalid(exists bool) []problem.Warning {
	if p.Cloud.Validator == nil {
		return nil
	}
	if err := p.Cloud.Validator.Validate(p.Input.Spec, exists); err != nil {
		return p.Respell(problem.Unjoin(err))
	}
	return nil
}

// impossible changes only targets, and says all that is wrong with what the Service asks for.
func (p Policy) impossible(problems []problem.Warning, observed cloud.Observed, c target.Candidates) Decision {
	d := p.Retarget(observed, c)
	d.Warnings = slices.Concat(problems, d.Warnings)
	d.Err = problem.Combine(problems)
	return d
}

// create makes the balancer that was asked for. It waits until all machines are known and one of
// them can be a target: what is chosen by them, such as address families and zones, may not
// be changeable later.
func (p Policy) create(s desired, observed cloud.Observed, c target.Candidates) Decision {
	if c.Err != nil {
		return Decision{Plan: p.Plan(nil), Change: cloud.Change{Before: observed}, Warnings: c.Warnings(), Err: c.Err}
	}
	after, held, warnings := p.selectTargets(s.wanted, observed, c)
	if len(after.Targets) == 0 && (len(c.Targets) == 0 || !p.State.RefusedBy(observed.ID).IsTrial()) {
		return p.await(after, observed, c)
	}
	d := p.Decision(s.input, observed, &after, []cloud.Operation{difference.Creation(after)})
	d.Whole, d.Held = true, held
	d.Warnings = slices.Concat(problem.OfDriver(s.warnings), p.familyWarnings(s), warnings)
	d.Question = &question{Input: s.input, Before: observed, Refused: func(problems []problem.Warning) Decision { return p.refuse(after, observed, c, problems) }}
	return d
}

// pollNodes is how long is waited for a node that can be a target: one that joins asks by itself.
const pollNodes = 5 * time.Minute

const waitingForNodes = "the load balancer is made as soon as a node can be its target"

func (p Policy) await(after cloud.Balancer, observed cloud.Observed, c target.Candidates) Decision {
	why := c.WhyNone(waitingForNodes, after, p.rules(after, observed))
	operation := difference.Creation(after)
	operation.Blocked = "no node can be a target yet"
	return Decision{
		Plan: p.Plan([]cloud.Operation{operation}), Change: cloud.Change{Before: observed},
		Warnings: append(c.Warnings(), problem.Warn(event.WaitingForNodes, why)),
		Err:      &problem.Pending{After: pollNodes, Reason: why},
	}
}

// refuse makes no balancer that the cloud would refuse. One that was deleted for it is made again.
func (p Policy) refuse(after cloud.Balancer, observed cloud.Observed, c target.Candidates, problems []problem.Warning) Decision {
	err := problem.Combine(problems)
	if p.Begun() {
		return p.Restore(c, observed, err)
	}
	operation := difference.Creation(after)
	operation.Blocked = "the cloud would refuse it"
	return Decision{Plan: p.Plan([]cloud.Operation{operation}), Change: cloud.Change{Before: observed}, Warnings: problems, Err: err}
}

func (p Policy) adjust(s desired, observed cloud.Observed, c target.Candidates) Decision {
	after, held, warnings := p.selectTargets(s.possible, observed, c)
	operations := difference.Order(difference.Of(observed.Balancer, after))
	tagsWait, targetsWait := ownershipTagsCanWait(observed, operations), p.targetsCanWait(observed, operations)
	if tagsWait || targetsWait {
		operations = nil
	}
	if targetsWait {
		after.Targets = observed.Balancer.Targets
	}
	d := p.Decision(s.input, observed, &after, append(operations, s.blocked...))
	d.Whole, d.OwnershipTagsWait, d.TargetsWait, d.Held, d.Err = true, tagsWait, targetsWait, held, c.Err
	beside, why := p.wayOf(p.Complete(observed, c.Targets), observed)
	d.Warnings = slices.Concat(problem.OfDriver(s.warnings), p.familyWarnings(s), immutableWarnings(s.blocked, wayText(beside, why)), warnings)
	return d
}

// Retarget changes only targets: everything else stays as observed. Nothing is done when
// there is no balancer.
func (p Policy) Retarget(observed cloud.Observed, c target.Candidates) Decision {
	if !observed.Found {
		return Decision{Plan: p.Plan(nil), Change: cloud.Change{Before: observed}, Warnings: c.Warnings(), Err: c.Err}
	}
	after, held, warnings := p.selectTargets(observed.Balancer, observed, c)
	d := p.Decision(p.Complete(observed, c.Targets), observed, &after, difference.Order(difference.Of(observed.Balancer, after)))
	d.Held, d.Warnings, d.Err = held, warnings, c.Err
	return d
}

// mayReplace reports whether the balancer may be deleted for another one: that was allowed, and
// nothing that is known now would keep the next run from creating it.
func (p Policy) mayReplace(s desired, c target.Candidates) bool {
	return annotation.AllowReplacement.Bool(p.Values) && c.Err == nil && unique(s.wanted) == nil
}

// Complete returns the whole input of a balancer that was observed.
func (p Policy) Complete(observed cloud.Observed, candidates []cloud.Target) cloud.Input {
	in := p.Input
	in.ID = observed.ID
	in.Candidates, in.Lookups = candidates, observed.Lookups
	return in
}

// selectTargets returns the balancer with the targets it shall have in the place of the observed one's.
func (p Policy) selectTargets(b cloud.Balancer, observed cloud.Observed, c target.Candidates) (cloud.Balancer, []cloud.InstanceID, []problem.Warning) {
	return target.Select(b, observed.Balancer.Targets, c, p.rules(b, observed))
}

// rules are those by which the targets of that balancer are chosen.
func (p Policy) rules(b cloud.Balancer, observed cloud.Observed) target.Rules {
	r := target.Rules{Balancers: p.Cloud.Balancers, Limit: p.Cloud.MaxTargets(b)}
	r.Brought, r.Kept = p.State.KnownTargets(observed.ID, p.Fingerprint)
	r.Refused, r.Listeners = p.State.RefusedBy(observed.ID), observed.Balancer.Listeners
	return r
}

// Decision returns the decision to make these operations, all of which the plan shows.
func (p Policy) Decision(in cloud.Input, before cloud.Observed, after *cloud.Balancer, operations []cloud.Operation) Decision {
	d := Decision{Plan: p.Plan(operations)}
	d.Change = cloud.Change{Input: in, Before: before, After: after, Operations: d.Plan.Executable()}
	return d
}

// Removal returns the decision to delete the balancer as it was observed, and why.
func (p Policy) Removal(in cloud.Input, observed cloud.Observed, reason string) Decision {
	return p.Decision(in, observed, nil, []cloud.Operation{difference.Removal(observed, reason)})
}

// Plan returns the plan of these operations.
func (p Policy) Plan(operations []cloud.Operation) plan.Plan {
	return plan.Plan{Cloud: p.Cloud.Name, Subject: "Service " + p.Input.Owner.String(), Operations: operations}
}

// unadopted refuses to create a balancer where a certain one was to be taken over. Once its
// id is recorded it may be created anew like any other.
func (p Policy) unadopted(f Finding) []problem.Warning {
	if p.Adopt == "" || p.Recorded != "" || len(f.Conflicts) > 0 || f.Observed.Found && f.Observed.ID == p.Adopt {
		return nil
	}
	return []problem.Warning{p.NotYours(p.Adopt)}
}

// ownershipTagsCanWait reports whether the ownership tags that are missing are written with the next change and
// not now, so that taking over what an upstream CCM made costs no write.
//
//	name holds the UID  has our tags   differs besides  tags
//	no                  -              -                now: they alone tell others whose it is
//	yes                 some           -                now: somebody removed some
//	yes                 none           something        with that
//	yes                 none           nothing          wait: no other Service may take that name
func ownershipTagsCanWait(observed cloud.Observed, operations []cloud.Operation) bool {
	tagged := observed.Owner.Namespace != "" || observed.Owner.Name != ""
	return observed.Named && !tagged && len(operations) == 1 && operations[0].Field == cloud.FieldOwnershipTags
}

// targetsCanWait reports whether a balancer that this process made gets further targets only after its Service was told where it is
// reached: it serves with those it was made with. While many balancers are made, each Node that joins would otherwise cost one
// request for each of them before anybody knows an address.
func (p Policy) targetsCanWait(observed cloud.Observed, operations []cloud.Operation) bool {
	made := observed.Found && p.State.Created == observed.ID && p.State.Told != observed.ID && observed.State == cloud.BalancerActive && len(observed.Balancer.Targets) > 0
	untold := len(p.Service.Status.LoadBalancer.Ingress) == 0 && len(observed.Addresses) > 0
	return made && untold && len(operations) > 0 && !slices.ContainsFunc(operations, func(op cloud.Operation) bool { return op.Kind != cloud.KindTarget || op.Verb != cloud.Create })
}
