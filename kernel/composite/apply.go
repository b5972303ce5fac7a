package composite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

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

// Apply implements cloud.Balancers. What the cloud refuses for good, such as a certificate that it
// cannot read, does not keep the rest from being made or changed: nodes come and go, whatever is
// wrong with an annotation. A balancer that was made is told together with the error that ended the run.
func (b *balancers) Apply(ctx context.Context, change cloud.Change) (cloud.Progress, error) {
	m, err := b.begun(ctx, change)
	if err != nil {
		return cloud.Progress{}, err
	}
	refusals := m.remember(change)
	step, needsLook := "", false
	for {
		s := m.next()
		switch {
		case s == nil && len(m.disturbed) == 0:
			tell(m, change)
			return m.progress, errors.Join(refusals...)
		case needsLook || m.isUnclear(s):
			m.progress.Pending, m.progress.More, m.progress.Step, m.progress.GoesOn = true, true, step, !m.repeats
			return m.progress, errors.Join(refusals...)
		}
		id, err := m.carryOut(ctx, s)
		m.blame(s, err)
		running, goesOn := errors.AsType[*cloud.Running](err)
		// What follows a step that was passed over may be about what others write too.
		needsLook = change.Rest != nil
		passed, refused := b.passOver(m, s, id, err)
		switch {
		case goesOn:
			m.progress.Operations = running.Operations
		case refused != nil:
			refusals, needsLook = append(refusals, refused), needsLook && !m.putBack
			continue
		case passed:
			continue
		case err != nil:
			return m.progress, errors.Join(append(refusals, err)...)
		}
		m.done(s, id)
		// So may what follows one that settles at once.
		step, needsLook = s.doing(), m.unseen
		if made := newBalancer(m, s, id, change); made != nil {
			m.progress.Observed = made
		}
		if s.kind.Settles > 0 || goesOn {
			return b.paused(m, s), errors.Join(refusals...)
		}
	}
}

// passOver reports whether the rest of the change goes on without the step: it has to wait, or the cloud refuses it, which is
// returned.
func (b *balancers) passOver(m *model, s *step, id string, err error) (passed bool, refused error) {
	if waiting, waits := errors.AsType[*cloud.Waiting](err); waits {
		m.wait(s, id, *waiting)
		return true, nil
	}
	if err != nil && m.mayBeRefused(s) && b.isRefusal(err) {
		return true, m.refusal(s, err)
	}
	return false, nil
}

// waitsForIDs reports whether a step is about something that was brought along in this run, or leads to
// it: the id of that is not known before the next run. So are fields that the answer did not have.
func (m *model) waitsForIDs(s *step) bool {
	for _, r := range append([]cloud.Resource{s.present, s.wanted}, s.with...) {
		if s.verb != cloud.Create && m.unknown[r.Ref()] || m.unknown[s.owner] {
			return true
		}
		for _, value := range r.Fields {
			field, isField := m.resolved(value).(cloud.FieldOf)
			if isField && m.present.has(field.Of) || slices.ContainsFunc(idsIn(value), func(ref cloud.IDOf) bool { return m.unknown[ref] }) {
				return true
			}
		}
	}
	return false
}

// wait notes that a part of a step has to wait. What cannot be deleted yet stays; the rest is done.
func (m *model) wait(s *step, id string, w cloud.Waiting) {
	if s.verb == cloud.Delete {
		for _, r := range s.all() {
			m.waiting[r.Ref()] = true
		}
	} else {
		m.done(s, id)
	}
	p := &m.progress
	p.Warnings = append(p.Warnings, w.Warnings...)
	p.Pending = p.Pending || w.After == 0
	p.Again = soonest(p.Again, w.After)
}

// soonest returns the shorter of two times, of which 0 is none.
func soonest(x, y time.Duration) time.Duration {
	if x == 0 || y == 0 {
		return max(x, y)
	}
	return min(x, y)
}

// tell says what the balancer is after a change that was carried out whole, where the answers say so.
func tell(m *model, change cloud.Change) {
	told := slices.ContainsFunc(m.kinds, func(k cloud.ResourceKind) bool { return k.CreateBalancer != nil && k.Settles == 0 })
	if !told || m.hasRefusals() || m.progress.Pending || m.progress.Again > 0 || change.After == nil {
		return
	}
	o := change.Before
	if made := m.progress.Observed; made != nil {
		o = *made
		o.State, o.Addresses = cloud.BalancerActive, m.made.Addresses
	}
	if o.State != cloud.BalancerActive || len(o.Addresses) == 0 {
		return
	}
	if len(change.After.OwnershipTags) > 0 {
		o.Owner = change.Input.Owner
	}
	o.Balancer, o.Native = *change.After, nil
	m.progress.Observed = &o
}

// newBalancer returns what is known of a balancer that was made in this step, nil when none was. The
// rest is read afterwards.
func newBalancer(m *model, s *step, id string, change cloud.Change) *cloud.Observed {
	if s.verb != cloud.Create || !s.kind.Anchor || change.After == nil {
		return nil
	}
	var owner cloud.Owner
	if len(change.After.OwnershipTags) > 0 {
		owner = change.Input.Owner
	}
	return &cloud.Observed{
		Found: true, ID: id, State: cloud.BalancerPending, Owner: owner, Balancer: *change.After,
		Lookups: change.Input.Lookups, Native: m.made.Native,
	}
}

func (b *balancers) model(ctx context.Context, change cloud.Change) (*model, error) {
	resources, err := b.Resources(ctx, change)
	if err != nil {
		return nil, err
	}
	return newModel(b.ResourceKinds(), resources, change)
}

// isRefusal reports whether the same request will fail again.
func (b *balancers) isRefusal(err error) bool {
	failure := cloud.FailureOf(err)
	if failure.Class == cloud.FailureUnknown {
		failure = b.classify(err)
	}
	return failure.Class == cloud.FailureInvalid || failure.Class == cloud.FailureQuota
}

// blame says which machines a step was to make targets that was refused for them.
func (m *model) blame(s *step, err error) {
	for _, refused := range cloud.RefusedTargets(err) {
		if refused.Asked != nil {
			continue
		}
		for _, r := range append([]cloud.Resource{s.wanted}, s.with...) {
			if r.Machine != "" && !m.present.has(r.Ref()) {
				refused.Asked = append(refused.Asked, r.Machine)
			}
		}
	}
}

// refuse keeps a step from being tried again in this run.
func (m *model) refuse(s *step) {
	if s.kind.Batch != "" {
		m.refusedBatch[s.owner] = true
		return
	}
	m.refused[s.wanted.Ref()] = true
	if s.kind.Together != "" {
		for _, r := range s.with {
			m.refused[r.Ref()] = true
		}
	}
}

func (m *model) carryOut(ctx context.Context, s *step) (id string, err error) {
	if err := m.fits(ctx, s); err != nil {
		return "", err
	}
	owner, hasID := m.resolved(s.owner).(string)
	switch missing := m.unresolved(s.wanted); {
	case s.wanted.Problem != nil:
		err = s.wanted.Problem
	case s.kind.Batch != "" && !hasID:
		err = fmt.Errorf("the id of %s %s is not known", s.owner.Kind, s.owner.Key)
	case s.verb == cloud.Create && missing != nil:
		err = fmt.Errorf("%s %s, which it refers to, is not there", missing.Kind, missing.Key)
	case s.kind.Batch != "":
		err = s.kind.Write(ctx, owner, m.withIDs(s.with...))
	case s.verb == cloud.Create && s.kind.Together != "":
		err = s.kind.Add(ctx, m.withIDs(s.all()...))
	case s.verb == cloud.Create:
		id, err = create(ctx, m, s)
	case s.verb == cloud.Update:
		err = s.kind.Update(ctx, m.withIDs(s.present)[0], m.withIDs(s.wanted)[0], s.fields)
	case s.kind.Together != "":
		err = s.kind.Remove(ctx, m.withIDs(s.all()...))
	default:
		err = s.kind.Delete(ctx, m.withIDs(s.present)[0])
	}
	if err != nil {
		return id, fmt.Errorf("%s: %w", s.doing(), err)
	}
	return id, nil
}

// create makes the resource of a step, and notes what the answer says of a balancer.
func create(ctx context.Context, m *model, s *step) (id string, err error) {
	wanted, with := m.withIDs(s.wanted)[0], m.withIDs(s.with...)
	if s.kind.CreateBalancer == nil {
		return s.kind.Create(ctx, wanted, with)
	}
	m.made, err = s.kind.CreateBalancer(ctx, wanted, with)
	return m.made.ID, err
}

// unresolved returns a resource that this one refers to and whose id is not known, nil when there is
// none.
func (m *model) unresolved(r cloud.Resource) *cloud.IDOf {
	for _, value := range r.Fields {
		if refs := idsIn(m.resolved(value)); len(refs) > 0 {
			return &refs[0]
		}
	}
	return nil
}

// withIDs returns resources with ids in the place of what stands for them.
func (m *model) withIDs(list ...cloud.Resource) []cloud.Resource {
	resolved := make([]cloud.Resource, len(list))
	for i, r := range list {
		r.Fields = maps.Clone(r.Fields)
		for name, value := range r.Fields {
			r.Fields[name] = m.resolved(value)
		}
		resolved[i] = r
	}
	return resolved
}

// doing says what the step does, as errors begin.
func (s *step) doing() string {
	switch {
	case s.kind.Batch != "":
		return fmt.Sprintf("writing %d resources of kind %s of %s %s", len(s.with), s.kind.Name, s.owner.Kind, s.owner.Key)
	case s.verb == cloud.Create:
		return fmt.Sprintf("creating %s %s%s", s.kind.Name, s.wanted.Key, s.others())
	case s.verb == cloud.Update:
		return fmt.Sprintf("changing %s %s", s.kind.Name, s.wanted.Key)
	}
	return fmt.Sprintf("deleting %s %s%s", s.kind.Name, s.present.Key, s.others())
}

// others says that there are more in the same request.
func (s *step) others() string {
	if s.kind.Together == "" || len(s.with) == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d others", len(s.with))
}
