package loadbalancer

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// decision is what has to be done and what has to be said.
type decision struct {
	plan   plan.Plan
	change cloud.Change
	// whole says that the change leads to all that was asked for, not only its targets.
	whole bool
	// marksWait says that ownership tags are missing, which the next change writes.
	marksWait bool
	// replaces says that the balancer is deleted so that the next run creates it anew.
	replaces bool
	// recreates says that this is because it failed before it ever served.
	recreates bool
	// begins are annotations to write before the change is made, nil when there are none.
	begins map[string]string
	// question is what the cloud is asked before the change is made, nil when nothing is.
	question *question
	// seeks says that the new balancer may be there already, and has to be looked for.
	seeks bool
	// succeeds says that the change is one of the new balancer while the present one serves;
	// meanwhile is what the present one needs.
	succeeds  bool
	meanwhile *decision
	warnings  []problem.Warning
	// err is what is still wrong once the change has been made.
	err error
}

// rewrites reports whether more than the targets of an existing balancer change.
func (d decision) rewrites() bool {
	return d.change.Before.Found && slices.ContainsFunc(d.change.Operations, func(op cloud.Operation) bool {
		return op.Kind != cloud.KindTarget
	})
}

// decide is the heart of the pipeline. It does no I/O.
func (p *pipeline) decide(f finding, c candidates) decision { return p.restrain(p.choose(f, c)) }

// choose decides as if it were the first time:
//
//	problems  found  immutable fields  decision
//	-         yes    -                 delete what failed before it ever served
//	yes       no     -                 nothing
//	yes       yes    -                 targets only
//	no        no     -                 create, once a node can be a target
//	no        yes    same              differences
//	no        yes    differ            differences without them, which are blocked
//	no        yes    differ, allowed   see replace
func (p *pipeline) choose(f finding, c candidates) decision {
	observed := f.observed.Resolve(c.targets)
	if observed.Found && p.failedOnCreate(observed) {
		return p.recreate(observed, c)
	}
	problems := slices.Concat(p.Problems, f.conflicts, p.unadopted(f))
	var s desired
	if len(problems) == 0 {
		var err error
		immutable := p.manager.cloud.Descriptor.Capabilities.Immutable
		if s, err = desiredOf(p.manager.cloud.Balancers, p.complete(observed, c), observed, immutable); err != nil {
			problems = p.Respell(problem.Unjoin(err))
		}
		s.warnings = p.RespellWarnings(s.warnings)
	}
	switch {
	case len(problems) > 0:
		d := p.retarget(observed, c)
		d.warnings = append(problem.OfProblems(problems), d.warnings...)
		d.err = problem.Combine(problems)
		return d
	case !observed.Found:
		return p.create(s, observed, c)
	case len(s.blocked) > 0 && p.mayReplace(s, c):
		return p.replace(s, f, c)
	}
	return p.adjust(s, observed, c)
}

// create makes the balancer that was asked for. It waits until all machines are known and one of
// them can be a target: what is chosen by them, such as address families and zones, may not
// be changeable later.
func (p *pipeline) create(s desired, observed cloud.Observed, c candidates) decision {
	if c.err != nil {
		return decision{plan: p.plan(nil), change: cloud.Change{Before: observed}, warnings: c.warnings(), err: c.err}
	}
	after, warnings := p.selectTargets(s.wanted, observed, c)
	if len(after.Targets) == 0 {
		return p.await(after, observed, c)
	}
	d := p.decision(s.spec, observed, &after, []cloud.Operation{difference.Creation(after)})
	d.whole = true
	d.warnings = slices.Concat(problem.OfDriver(s.warnings), warnings)
	d.question = &question{spec: s.spec, refused: func(problems []problem.Problem) decision { return p.refuse(after, observed, c, problems) }}
	return d
}

// await makes no balancer yet.
func (p *pipeline) await(after cloud.Balancer, observed cloud.Observed, c candidates) decision {
	operation := difference.Creation(after)
	operation.Blocked = "no node can be a target yet"
	return decision{
		plan: p.plan([]cloud.Operation{operation}), change: cloud.Change{Before: observed},
		warnings: append(c.warnings(), problem.Warn(event.WaitingForNodes, waitingForNodes)),
		err:      &Pending{After: pollNodes, Reason: waitingForNodes},
	}
}

// refuse makes no balancer that the cloud would refuse. One that was deleted for it is made again.
func (p *pipeline) refuse(after cloud.Balancer, observed cloud.Observed, c candidates, problems []problem.Problem) decision {
	err := problem.Combine(problems)
	if p.Begun() {
		return p.restore(c, observed, err)
	}
	operation := difference.Creation(after)
	operation.Blocked = "the cloud would refuse it"
	return decision{plan: p.plan([]cloud.Operation{operation}), change: cloud.Change{Before: observed}, warnings: problem.OfProblems(problems), err: err}
}

// adjust changes what differs.
func (p *pipeline) adjust(s desired, observed cloud.Observed, c candidates) decision {
	after, warnings := p.selectTargets(s.possible, observed, c)
	operations := difference.Order(difference.Of(observed.Balancer, after))
	wait := marksCanWait(observed, operations)
	if wait {
		operations = nil
	}
	d := p.decision(s.spec, observed, &after, append(operations, s.blocked...))
	d.whole, d.marksWait, d.err = true, wait, c.err
	beside, why := p.wayOf(p.complete(observed, c), observed)
	d.warnings = slices.Concat(problem.OfDriver(s.warnings), immutableWarnings(s.blocked, wayText(beside, why)), warnings)
	return d
}

// retarget changes only targets: everything else stays as observed. Nothing is done when
// there is no balancer.
func (p *pipeline) retarget(observed cloud.Observed, c candidates) decision {
	if !observed.Found {
		return decision{plan: p.plan(nil), change: cloud.Change{Before: observed}, warnings: c.warnings(), err: c.err}
	}
	after, warnings := p.selectTargets(observed.Balancer, observed, c)
	d := p.decision(p.complete(observed, c), observed, &after, difference.Order(difference.Of(observed.Balancer, after)))
	d.warnings, d.err = warnings, c.err
	return d
}

// mayReplace reports whether the balancer may be deleted for another one: that was allowed, and
// nothing that is known now would keep the next run from creating it.
func (p *pipeline) mayReplace(s desired, c candidates) bool {
	return annotation.AllowReplacement.Bool(p.Values) && c.err == nil && unique(s.wanted) == nil
}

// complete returns the whole spec.
func (p *pipeline) complete(observed cloud.Observed, c candidates) cloud.Spec {
	spec := p.Spec
	spec.Ref.ID = observed.ID
	spec.Candidates, spec.Lookups = c.targets, observed.Lookups
	return spec
}

// selectTargets returns the balancer with the targets it shall have, and what is to be said of them.
func (p *pipeline) selectTargets(b cloud.Balancer, observed cloud.Observed, c candidates) (cloud.Balancer, []problem.Warning) {
	b = b.Clone()
	limit := p.manager.cloud.Descriptor.Capabilities.MaxTargets
	targets, skipped := targetsOf(b, c, observed.Balancer.Targets, p.manager.cloud.Balancers, limit)
	kept := len(targets) == 0 && len(c.targets) > 0
	if kept {
		// There are machines and none will do: that is rather a mistake of the configuration
		// than a reason to cut off what serves.
		targets = slices.Clone(observed.Balancer.Targets)
	}
	p.held = p.hold(observed, targets, c)
	b.Targets, c.skipped = slices.Sorted(slices.Values(slices.Concat(targets, p.held))), skipped
	for i := range b.Listeners {
		b.Listeners[i].Targets = nil
	}
	warnings := c.warnings()
	switch {
	case kept && len(targets) > 0:
		warnings = append(warnings, problem.Warn(event.NoTargets, "no node can be a target of this balancer, so it keeps those it has"))
	case len(b.Targets) == 0 && !c.joining:
		warnings = append(warnings, problem.Warn(event.NoTargets, "no node can be a target of this balancer"))
	}
	return b, append(warnings, p.heldWarnings(len(observed.Balancer.Targets), skipped, c)...)
}

// decision returns the decision to make these operations, all of which the plan shows.
func (p *pipeline) decision(spec cloud.Spec, before cloud.Observed, after *cloud.Balancer, operations []cloud.Operation) decision {
	d := decision{plan: p.plan(operations)}
	d.change = cloud.Change{Spec: spec, Before: before, After: after, Operations: d.plan.Executable()}
	return d
}

func (p *pipeline) plan(operations []cloud.Operation) plan.Plan {
	return plan.Plan{Cloud: p.manager.cloud.Name, Subject: "Service " + p.Spec.Ref.Owner.String(), Operations: operations}
}
