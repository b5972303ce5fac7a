package loadbalancer

import (
	"fmt"
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
	buries  bool
	remarks []remark
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
//	no        no     -                 create
//	no        yes    same              differences
//	no        yes    differ            differences without them, which are blocked
//	no        yes    differ, allowed   delete, and create in the next run
func (p *pass) choose(f finding, c census) decision {
	observed := f.observed.Resolve(c.candidates)
	if observed.Found && p.stillborn(observed) {
		return p.bury(observed, c)
	}
	problems := slices.Concat(p.problems, f.problems(), p.unadopted(observed))
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
		return p.replace(s, observed, c)
	}
	return p.adjust(s, observed, c)
}

// create makes the balancer that was asked for. It waits until all machines are known: what
// is chosen by them, such as address families, may not be changeable later.
func (p *pass) create(s shape, observed cloud.Observed, c census) decision {
	if c.err != nil {
		return decision{plan: p.plan(nil), change: cloud.Change{Before: observed}, remarks: c.remarks(), err: c.err}
	}
	after, remarks := p.aim(s.wanted, observed, c)
	d := p.decision(s.spec, observed, &after, []cloud.Operation{creation(after)})
	d.whole = true
	d.remarks = slices.Concat(ofNotes(s.notes), remarks)
	return d
}

// adjust changes what differs.
func (p *pass) adjust(s shape, observed cloud.Observed, c census) decision {
	after, remarks := p.aim(s.possible, observed, c)
	d := p.decision(s.spec, observed, &after, append(Order(Diff(observed.Balancer, after)), s.frozen...))
	d.whole, d.err = true, c.err
	d.remarks = slices.Concat(ofNotes(s.notes), frozenRemarks(s.frozen), remarks)
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

// replace deletes the balancer because an immutable field has to change; the plan shows the
// creation too, which the next run makes. A crash in between changes nothing in that. The
// same request never replaces a second balancer: it would go on for ever.
func (p *pass) replace(s shape, observed cloud.Observed, c census) decision {
	if done := p.memory.replaced; done.by == p.fingerprint && done.id != observed.ID {
		d := p.adjust(s, observed, c)
		d.remarks = append(d.remarks, remark{event.NotConverging, "the balancer was replaced for this request already, and the new one differs again"})
		return d
	}
	after, remarks := p.aim(s.wanted, cloud.Observed{}, c)
	deletion := removal(observed, "")
	for _, op := range s.frozen {
		deletion.Reason += fmt.Sprintf("%s can only change from %q to %q on a new balancer; ", op.Field, op.Before, op.After)
	}
	deletion.Reason += annotation.AllowReplacement.Name + " is set"
	d := p.decision(s.spec, observed, nil, []cloud.Operation{deletion, creation(after)})
	d.change.Operations = d.change.Operations[:1]
	d.replaces, d.remarks = true, remarks
	return d
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
	b.Targets, c.skipped = targets, skipped
	for i := range b.Listeners {
		b.Listeners[i].Targets = nil
	}
	remarks := c.remarks()
	switch {
	case kept && len(targets) > 0:
		remarks = append(remarks, remark{event.NoTargets, "no node can be a target of this balancer, so it keeps those it has"})
	case len(targets) == 0 && !c.joining:
		remarks = append(remarks, remark{event.NoTargets, "no node can be a target of this balancer"})
	}
	return b, remarks
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
