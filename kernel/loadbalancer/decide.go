package loadbalancer

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
)

// decision is what has to be done and what has to be said.
type decision struct {
	plan   plan.Plan
	change cloud.Change
	// whole says that the change leads to all that was asked for, not only its targets.
	whole bool
	// replaces says that the balancer is deleted so that the next run creates it anew.
	replaces bool
	// buries says that this is because it failed before it ever served.
	buries bool
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
	remarks   []remark
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
func (p *pass) decide(f finding, c census) decision { return p.restrain(p.choose(f, c)) }

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
func (p *pass) choose(f finding, c census) decision {
	observed := f.observed.Resolve(c.candidates)
	if observed.Found && p.stillborn(observed) {
		return p.bury(observed, c)
	}
	problems := slices.Concat(p.problems, f.conflicts, p.unadopted(f))
	var s shape
	if len(problems) == 0 {
		var err error
		immutable := p.manager.cloud.Descriptor.Capabilities.Immutable
		if s, err = shapeOf(p.manager.cloud.Balancers, p.complete(observed, c), observed, immutable); err != nil {
			problems = p.respell(unjoin(err))
		}
		s.notes = p.respellNotes(s.notes)
	}
	switch {
	case len(problems) > 0:
		d := p.retarget(observed, c)
		d.remarks = append(ofProblems(problems), d.remarks...)
		d.err = combine(problems)
		return d
	case !observed.Found:
		return p.create(s, observed, c)
	case len(s.frozen) > 0 && p.mayReplace(s, c):
		return p.replace(s, f, c)
	}
	return p.adjust(s, observed, c)
}

// create makes the balancer that was asked for. It waits until all machines are known and one of
// them can be a target: what is chosen by them, such as address families and zones, may not
// be changeable later.
func (p *pass) create(s shape, observed cloud.Observed, c census) decision {
	if c.err != nil {
		return decision{plan: p.plan(nil), change: cloud.Change{Before: observed}, remarks: c.remarks(), err: c.err}
	}
	after, remarks := p.aim(s.wanted, observed, c)
	if len(after.Targets) == 0 {
		return p.await(after, observed, c)
	}
	d := p.decision(s.spec, observed, &after, []cloud.Operation{creation(after)})
	d.whole = true
	d.remarks = slices.Concat(ofNotes(s.notes), remarks)
	d.question = &question{spec: s.spec, refused: func(problems []problem) decision { return p.refuse(after, observed, c, problems) }}
	return d
}

// await makes no balancer yet.
func (p *pass) await(after cloud.Balancer, observed cloud.Observed, c census) decision {
	operation := creation(after)
	operation.Blocked = "no node can be a target yet"
	return decision{
		plan: p.plan([]cloud.Operation{operation}), change: cloud.Change{Before: observed},
		remarks: append(c.remarks(), remark{event.WaitingForNodes, waitingForNodes}),
		err:     &Pending{After: pollNodes, Reason: waitingForNodes},
	}
}

// refuse makes no balancer that the cloud would refuse. One that was deleted for it is made again.
func (p *pass) refuse(after cloud.Balancer, observed cloud.Observed, c census, problems []problem) decision {
	err := combine(problems)
	if p.begun() {
		return p.restore(c, observed, err)
	}
	operation := creation(after)
	operation.Blocked = "the cloud would refuse it"
	return decision{plan: p.plan([]cloud.Operation{operation}), change: cloud.Change{Before: observed}, remarks: ofProblems(problems), err: err}
}

// adjust changes what differs.
func (p *pass) adjust(s shape, observed cloud.Observed, c census) decision {
	after, remarks := p.aim(s.possible, observed, c)
	operations := Order(Diff(observed.Balancer, after))
	if marksCanWait(observed, operations) {
		operations = nil
	}
	d := p.decision(s.spec, observed, &after, append(operations, s.frozen...))
	d.whole, d.err = true, c.err
	beside, why := p.wayOf(p.complete(observed, c), observed)
	d.remarks = slices.Concat(ofNotes(s.notes), frozenRemarks(s.frozen, wayText(beside, why)), remarks)
	return d
}

// retarget changes only targets: everything else stays as observed. Nothing is done when
// there is no balancer.
func (p *pass) retarget(observed cloud.Observed, c census) decision {
	if !observed.Found {
		return decision{plan: p.plan(nil), change: cloud.Change{Before: observed}, remarks: c.remarks(), err: c.err}
	}
	after, remarks := p.aim(observed.Balancer, observed, c)
	d := p.decision(p.complete(observed, c), observed, &after, Order(Diff(observed.Balancer, after)))
	d.remarks, d.err = remarks, c.err
	return d
}

// mayReplace reports whether the balancer may be deleted for another one: that was allowed, and
// nothing that is known now would keep the next run from creating it.
func (p *pass) mayReplace(s shape, c census) bool {
	return annotation.AllowReplacement.Bool(p.values) && c.err == nil && unique(s.wanted) == nil
}

// complete returns the whole spec.
func (p *pass) complete(observed cloud.Observed, c census) cloud.Spec {
	spec := p.spec
	spec.Ref.ID = observed.ID
	spec.Candidates, spec.Facts = c.candidates, observed.Facts
	return spec
}

// aim returns the balancer with the targets it shall have, and what is to be said of them.
func (p *pass) aim(b cloud.Balancer, observed cloud.Observed, c census) (cloud.Balancer, []remark) {
	b = b.Clone()
	limit := p.manager.cloud.Descriptor.Capabilities.MaxTargets
	targets, skipped := targetsOf(b, c, observed.Balancer.Targets, p.manager.cloud.Balancers, limit)
	kept := len(targets) == 0 && len(c.candidates) > 0
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
	remarks := c.remarks()
	switch {
	case kept && len(targets) > 0:
		remarks = append(remarks, remark{event.NoTargets, "no node can be a target of this balancer, so it keeps those it has"})
	case len(b.Targets) == 0 && !c.joining:
		remarks = append(remarks, remark{event.NoTargets, "no node can be a target of this balancer"})
	}
	return b, append(remarks, p.heldRemarks(len(observed.Balancer.Targets), skipped, c)...)
}

// decision returns the decision to make these operations, all of which the plan shows.
func (p *pass) decision(spec cloud.Spec, before cloud.Observed, after *cloud.Balancer, operations []cloud.Operation) decision {
	d := decision{plan: p.plan(operations)}
	d.change = cloud.Change{Spec: spec, Before: before, After: after, Operations: d.plan.Executable()}
	return d
}

func (p *pass) plan(operations []cloud.Operation) plan.Plan {
	return plan.Plan{Cloud: p.manager.cloud.Name, Subject: "Service " + p.spec.Ref.Owner.String(), Operations: operations}
}

func creation(b cloud.Balancer) cloud.Operation {
	return cloud.Operation{Verb: cloud.Create, Kind: cloud.KindBalancer, After: portrait(b)}
}

func removal(observed cloud.Observed, reason string) cloud.Operation {
	return cloud.Operation{
		Verb: cloud.Delete, Kind: cloud.KindBalancer, Before: portrait(observed.Balancer),
		Reason: reason, Destructive: true,
	}
}
