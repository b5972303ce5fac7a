package composite

import (
	"context"
	"errors"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Balancers returns what reads and writes a driver's balancers, nil where it has none. Those of a cloud.Composite get their
// Apply here, and steps says what it would do; steps is nil where balancers are written as a whole.
func Balancers(driver *cloud.Driver) (all cloud.Balancers, steps Planner) {
	switch group := driver.Balancers; {
	case group == nil:
		return nil, nil
	case group.Composite != nil:
		b := &balancers{Composite: group.Composite, classify: driver.Classify, follows: driver.Operations != nil}
		return b, b
	default:
		return group.Whole, nil
	}
}

type balancers struct {
	cloud.Composite
	classify func(error) cloud.Failure
	// follows says that the driver tells when a balancer has settled.
	follows bool
}

// Apply implements cloud.Balancers: it carries out the steps of a change, one after the other, until the cloud is busy, or the
// balancer has to be looked at. A balancer that was made is told together with the error that ended the run.
func (b *balancers) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	r, err := b.begin(ctx, change)
	if err != nil {
		return cloud.Progress{}, err
	}
	for len(r.steps) > 0 {
		s := r.steps[0]
		if r.mustLook(s) {
			return r.looks()
		}
		id, err := r.carryOut(ctx, s)
		waiting, waits := errors.AsType[*cloud.Waiting](err)
		running, goesOn := errors.AsType[*cloud.Running](err)
		switch {
		case waits:
			err = r.wait(s, id, *waiting)
		case goesOn:
			r.progress.Operations = running.Operations
			return r.paused(s, id)
		case err == nil && s.kind.Settles > 0:
			return r.paused(s, id)
		case err == nil:
			r.done(s, id)
		case b.isRefusal(err):
			err = r.refuse(s, err)
		}
		if err != nil {
			return r.progress, b.ended(err, r.refusals)
		}
	}
	return r.end()
}

// begin begins a change, or goes on with one.
func (b *balancers) begin(ctx context.Context, change cloud.Change) (*run, error) {
	if r, goesOn := change.Rest.(*run); goesOn {
		r.goesOn, r.unseen, r.passed, r.told = true, r.progress.Settles, false, len(r.refusals)
		r.progress = cloud.Progress{Again: r.progress.Again}
		return r, nil
	}
	m, err := b.model(ctx, change)
	if err != nil {
		return nil, err
	}
	r := &run{
		model: m, change: change, follows: b.follows, progress: cloud.Progress{Again: m.again},
		unknown: map[cloud.IDOf]bool{}, disturbed: map[string]bool{}, former: map[cloud.IDOf]cloud.Resource{}, fitting: map[cloud.IDOf]bool{},
	}
	if before := change.NotReplaced; before != nil && m.keep(before.Resource) {
		r.refusals = append(r.refusals, before)
	}
	return r, r.plan()
}

func (b *balancers) model(ctx context.Context, change cloud.Change) (*model, error) {
	resources, err := b.Resources(ctx, change)
	if err != nil {
		return nil, err
	}
	return newModel(b.ResourceKinds(), resources, change)
}

// looks ends a run where the balancer has to be looked at.
func (r *run) looks() (cloud.Progress, error) {
	r.progress.Pending, r.progress.More, r.progress.Step, r.progress.GoesOn = true, true, r.last, !r.repeats
	return r.progress, errors.Join(r.refusals...)
}

// mustLook reports whether the balancer has to be looked at before a step: an earlier one may have changed what it is about.
func (r *run) mustLook(s *step) bool {
	return r.passed || r.disturbed[s.kind.Name] || r.isUnknown(s)
}

// isUnknown reports whether a step is about something that was brought along in this run, or leads to
// it: the id of that is not known before the next run. So are fields that the answer did not have.
func (r *run) isUnknown(s *step) bool {
	if r.unknown[s.owner] {
		return true
	}
	for _, one := range append([]cloud.Resource{s.present, s.wanted}, s.with...) {
		if s.verb != cloud.Create && r.unknown[one.Ref()] {
			return true
		}
		for _, field := range one.Fields.All() {
			if slices.ContainsFunc(field.References(), r.isMissing) {
				return true
			}
		}
	}
	return false
}

// isMissing reports whether a reference is to something that was brought along in this run, or to a field that the answer did not have.
func (r *run) isMissing(ref cloud.Reference) bool {
	return r.unknown[ref.Of] || ref.Chosen != "" && r.model.present.has(ref.Of) && !r.model.resolved(ref).IsKnown()
}
