package decide

import (
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Choose decides with the facts that are there, as if it were the first time:
//
//	problems  found  immutable fields  decision
//	-         yes    -                 delete what failed before it ever served
//	yes       no     -                 nothing
//	yes       yes    -                 targets only
//	no        no     -                 create, once a node can be a target; nothing where its nodes would not answer, see unanswered
//	no        yes    same              differences
//	no        yes    differ            differences without them, which are blocked
//	no        yes    differ, allowed   see replace
func (c Case) Choose() Decision {
	observed := c.Facts.found()
	if observed.Found && c.failedOnCreate(observed) {
		return c.makeAnew(observed)
	}
	problems := slices.Concat(c.Asked.Problems, c.Invalid(observed.Found), c.Facts.Conflicts, c.unadopted(observed))
	s, err := c.desired(c.Complete(observed, c.Facts.Candidates.Targets), observed)
	if err != nil {
		problems = problem.Add(problems, c.Asked.Respell(problem.Unjoin(err)))
	}
	s.warnings = c.Asked.RespellWarnings(s.warnings)
	if len(problems) == 0 && !observed.Found {
		problems = c.unanswered(s)
	}
	switch {
	case len(problems) > 0 && err == nil && !observed.Found:
		d := c.impossible(problem.Add(problems, c.Facts.refused()), observed)
		d.question = &Look{Fact: FactAnswer, Input: s.input, Before: observed}
		return d
	case len(problems) > 0:
		return c.impossible(problems, observed)
	case !observed.Found:
		return c.create(s, observed)
	case len(s.blocked) > 0 && !observed.Protected && c.mayReplace(s) && len(c.unanswered(s)) == 0:
		return c.replace(s, observed)
	}
	return c.adjust(s, observed)
}

// failedOnCreate reports whether the balancer is to be deleted because it never was of any use:
//
//	state   ours by tag   Service has an address or id  failed for  failedOnCreate
//	failed  yes           no                            long        yes
//	failed  yes           no                            –           yes, if its deletion has begun
//	any     any           any                           any         no: what serves, or did, is for people to mend
//
// The id that was recorded with the creation says no more than the creation itself.
func (c Case) failedOnCreate(observed cloud.Observed) bool {
	return c.NeverServed(observed) && c.Memory.FailedCreation.Due(observed.ID)
}

// NeverServed reports whether the balancer has failed before it ever served.
func (s Subject) NeverServed(observed cloud.Observed) bool {
	ours := ownership.IsTagged(observed.Owner, s.Asked.Input.Owner)
	named := s.Asked.Recorded != "" && (s.Asked.Creation == nil || s.Asked.Creation.ID != s.Asked.Recorded)
	served := len(s.Asked.Service.Status.LoadBalancer.Ingress) > 0 || named || s.Asked.Adopt != ""
	return observed.State == cloud.BalancerFailed && ours && !served
}

// makeAnew deletes a balancer that failed on creation.
func (c Case) makeAnew(observed cloud.Observed) Decision {
	change, p := c.removal(c.Complete(observed, c.Facts.Candidates.Targets), observed, "it failed before it ever served; the next run makes another one")
	return Decision{Action: MakeAnew{change}, Plan: p}
}

// Invalid is what the driver finds wrong without a reading. exists says that there is a balancer.
func (s Subject) Invalid(exists bool) []problem.Warning {
	if s.Cloud.Validator == nil {
		return nil
	}
	if err := s.Cloud.Validator.Validate(s.Asked.Input.Spec, exists); err != nil {
		return s.Asked.Respell(problem.Unjoin(err))
	}
	return nil
}

// unadopted refuses to create a balancer where a certain one was to be taken over. Once its
// id is recorded it may be created anew like any other.
func (c Case) unadopted(observed cloud.Observed) []problem.Warning {
	r := c.Asked
	if r.Adopt == "" || r.Recorded != "" || len(c.Facts.Conflicts) > 0 || observed.Found && observed.ID == r.Adopt {
		return nil
	}
	return []problem.Warning{r.NotYours(r.Adopt)}
}

// impossible changes only targets, and says all that is wrong with what the Service asks for.
func (c Case) impossible(problems []problem.Warning, observed cloud.Observed) Decision {
	d := c.retarget(observed)
	d.Warnings = slices.Concat(problems, d.Warnings)
	d.Err = problem.Combine(problems)
	return d
}

// Retarget decides with the facts that are there, where only targets are to be changed.
func (c Case) Retarget() Decision { return c.retarget(c.Facts.found()) }

// retarget changes only targets: everything else stays as observed. Nothing is done when
// there is no balancer.
func (c Case) retarget(observed cloud.Observed) Decision {
	candidates := c.Facts.Candidates
	if !observed.Found {
		return Decision{Action: Refuse{observed}, Plan: c.Plan(nil), Warnings: candidates.Warnings(), Err: candidates.Err}
	}
	after, held, warnings := c.selectTargets(observed.Balancer, observed, candidates)
	change, p := c.change(c.Complete(observed, candidates.Targets), observed, &after, difference.Order(difference.Of(observed.Balancer, after)))
	return Decision{Action: Retarget{change}, Plan: p, Warnings: warnings, Held: held, Err: candidates.Err}
}

// selectTargets returns the balancer with the targets it shall have in the place of the observed one's.
func (c Case) selectTargets(b cloud.Balancer, observed cloud.Observed, candidates target.Candidates) (cloud.Balancer, []cloud.InstanceID, []problem.Warning) {
	return target.Select(b, observed.Balancer.Targets, candidates, c.Rules(b, observed))
}

// Rules are those by which the targets of that balancer are chosen.
func (s Subject) Rules(b cloud.Balancer, observed cloud.Observed) target.Rules {
	r := target.Rules{Balancers: s.Cloud.Balancers, Limit: s.Cloud.MaxTargets(b)}
	r.Brought = s.Memory.Brought == observed.ID || s.Memory.Created == observed.ID
	if kept := s.Memory.Kept; kept != nil && kept.Request == s.Asked.Fingerprint {
		r.Kept = kept.Targets
	}
	r.Refused, r.Listeners = s.Memory.RefusedBy(observed.ID), observed.Balancer.Listeners
	return r
}

// create makes the balancer that was asked for. It waits until all machines are known and one of
// them can be a target: what is chosen by them, such as address families and zones, may not
// be changeable later. What the cloud refuses is not made; one that was deleted for it is made again.
func (c Case) create(s desired, observed cloud.Observed) Decision {
	candidates := c.Facts.Candidates
	switch {
	case c.Facts.Refused != nil && c.ReplacesDeleted():
		return c.restore(target.Candidates{Targets: candidates.Targets}, observed, c.Facts.Refused)
	case candidates.Err != nil:
		return Decision{Action: Refuse{observed}, Plan: c.Plan(nil), Warnings: candidates.Warnings(), Err: candidates.Err}
	}
	after, held, warnings := c.selectTargets(s.wanted, observed, candidates)
	if len(after.Targets) == 0 && (len(candidates.Targets) == 0 || !c.Memory.RefusedBy(observed.ID).IsTrial()) {
		return c.await(after, observed)
	}
	switch refused := c.Facts.refused(); {
	case len(refused) > 0 && c.Asked.Begun:
		return c.restore(candidates, observed, problem.Combine(refused))
	case len(refused) > 0:
		return Decision{Action: Refuse{observed}, Plan: c.notMade(after, "the cloud would refuse it"), Warnings: refused, Err: problem.Combine(refused)}
	}
	change, p := c.change(s.input, observed, &after, []cloud.Operation{difference.Creation(after)})
	return Decision{
		Action: Create{change}, Plan: p, Held: held,
		Warnings: slices.Concat(problem.OfDriver(s.warnings), c.familyWarnings(s), warnings),
		question: &Look{Fact: FactAnswer, Input: s.input, Before: observed},
	}
}

// pollNodes is how long is waited for a node that can be a target: one that joins asks by itself.
const pollNodes = 5 * time.Minute

const waitingForNodes = "the load balancer is made as soon as a node can be its target"

func (c Case) await(after cloud.Balancer, observed cloud.Observed) Decision {
	why := c.Facts.Candidates.WhyNone(waitingForNodes, after, c.Rules(after, observed))
	return Decision{
		Action: Refuse{observed}, Plan: c.notMade(after, "no node can be a target yet"),
		Warnings: append(c.Facts.Candidates.Warnings(), problem.Warn(event.WaitingForNodes, why)),
		Err:      &problem.Pending{After: pollNodes, Reason: why},
	}
}

// notMade returns the plan that says why a balancer is not made.
func (s Subject) notMade(after cloud.Balancer, why string) plan.Plan {
	operation := difference.Creation(after)
	operation.Blocked = why
	return s.Plan([]cloud.Operation{operation})
}

// adjust changes what differs, but for what this cloud cannot change.
func (c Case) adjust(s desired, observed cloud.Observed) Decision {
	candidates := c.Facts.Candidates
	after, held, warnings := c.selectTargets(s.possible, observed, candidates)
	operations := difference.Order(difference.Of(observed.Balancer, after))
	a := Adjust{TagsWait: tagsCanWait(observed, operations), TargetsWait: c.targetsCanWait(observed, operations)}
	if a.TagsWait || a.TargetsWait {
		operations = nil
	}
	if a.TargetsWait {
		after.Targets = observed.Balancer.Targets
	}
	d := Decision{Held: held, Err: candidates.Err}
	a.Change, d.Plan = c.change(s.input, observed, &after, append(operations, s.blocked...))
	d.Action = a
	beside, why := c.wayOf(c.Complete(observed, candidates.Targets), observed)
	d.Warnings = slices.Concat(problem.OfDriver(s.warnings), c.familyWarnings(s), immutableWarnings(s.blocked, wayText(beside, why)), warnings)
	return d
}

// tagsCanWait reports whether the ownership tags that are missing are written with the next change and
// not now, so that taking over what an upstream CCM made costs no write.
//
//	name holds the UID  has our tags   differs besides  tags
//	no                  -              -                now: they alone tell others whose it is
//	yes                 some           -                now: somebody removed some
//	yes                 none           something        with that
//	yes                 none           nothing          wait: no other Service may take that name
func tagsCanWait(observed cloud.Observed, operations []cloud.Operation) bool {
	tagged := observed.Owner.Namespace != "" || observed.Owner.Name != ""
	return observed.Named && !tagged && len(operations) == 1 && operations[0].Field == cloud.FieldOwnershipTags
}

// targetsCanWait reports whether a balancer that this process made gets further targets only after its Service was told where it is
// reached: it serves with those it was made with. While many balancers are made, each Node that joins would otherwise cost one
// request for each of them before anybody knows an address.
func (c Case) targetsCanWait(observed cloud.Observed, operations []cloud.Operation) bool {
	made := observed.Found && c.Memory.Created == observed.ID && c.Memory.Told != observed.ID && observed.State == cloud.BalancerActive && len(observed.Balancer.Targets) > 0
	untold := len(c.Asked.Service.Status.LoadBalancer.Ingress) == 0 && len(observed.Addresses) > 0
	return made && untold && len(operations) > 0 && !slices.ContainsFunc(operations, func(op cloud.Operation) bool {
		return op.Kind != cloud.KindTarget || op.Verb != cloud.Create
	})
}

// mayReplace reports whether the balancer may be deleted for another one: that was allowed, and
// nothing that is known now would keep the next run from creating it.
func (c Case) mayReplace(s desired) bool {
	return annotation.AllowReplacement.Bool(c.Asked.Values) && c.Facts.Candidates.Err == nil && unique(s.wanted) == nil
}

// Complete returns the whole input of a balancer that was observed.
func (s Subject) Complete(observed cloud.Observed, candidates []cloud.Target) cloud.Input {
	in := s.Asked.Input
	in.ID = observed.ID
	in.Candidates, in.Findings = candidates, observed.Findings
	return in
}

// change returns the change that makes these operations, and the plan that shows all of them.
func (s Subject) change(in cloud.Input, before cloud.Observed, after *cloud.Balancer, operations []cloud.Operation) (Change, plan.Plan) {
	p := s.Plan(operations)
	return Change{cloud.Change{Input: in, Before: before, After: after, Operations: p.Executable()}}, p
}

// Plan returns the plan of these operations.
func (s Subject) Plan(operations []cloud.Operation) plan.Plan {
	return plan.Plan{Cloud: s.Cloud.Name, Subject: "Service " + s.Asked.Input.Owner.String(), Operations: operations}
}

// removal returns the deletion of the balancer as it was observed, and why.
func (s Subject) removal(in cloud.Input, observed cloud.Observed, reason string) (Change, plan.Plan) {
	return s.change(in, observed, nil, []cloud.Operation{difference.Removal(observed, reason)})
}

// refused returns why the cloud would refuse the load balancer, nil where that is not known.
func (f Facts) refused() []problem.Warning {
	if f.Answer == nil {
		return nil
	}
	return f.Answer.Problems
}

// found returns the balancer, with the targets of the candidates resolved.
func (f Facts) found() cloud.Observed { return f.Balancer.Resolve(f.Candidates.Targets) }

// Removal returns the decision to delete the balancer as it was observed, and why.
func (s Subject) Removal(in cloud.Input, observed cloud.Observed, reason string) Decision {
	change, p := s.removal(in, observed, reason)
	return Decision{Action: Remove{change}, Plan: p}
}

// Retirement returns the decision to delete a balancer in whose place another one serves.
func (s Subject) Retirement(in cloud.Input, observed cloud.Observed, reason string) Decision {
	change, p := s.removal(in, observed, reason)
	change.Replaced = true
	return Decision{Action: Remove{change}, Plan: p}
}

// Release returns the decision to leave the balancer as it is, but for its ownership tags.
func (s Subject) Release(observed cloud.Observed, tags []string) Decision {
	after := observed.Balancer.Clone()
	after.OwnershipTags = tags
	change, p := s.change(s.Complete(observed, nil), observed, &after, difference.Of(observed.Balancer, after))
	return Decision{Action: Release{change}, Plan: p}
}

// Continuation returns the decision to make the next step of a change that was begun, of which that is left.
func (s Subject) Continuation(change cloud.Change, rest any) Decision {
	next, p := s.change(change.Input, change.Before, change.After, change.Operations)
	next.Rest = rest
	return Decision{Action: Continue{next}, Plan: p}
}
