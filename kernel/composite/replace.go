package composite

import (
	"context"
	"fmt"
	"maps"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Between the deletion of a resource and the creation of another one in its place nothing serves. So the cloud is asked first
// what can be asked, and what it refuses all the same is made again as it was before:
//
//	the other one                               the present one
//	does not fit                                stays
//	is refused although it fits                 is made again, and this is remembered for the request
//	is refused, and what was before is unknown  what the driver has for this case is made, see cloud.Resource
//	fails for another reason                    the next run makes the other one

// replacement returns the step that leads to another resource in the place of this one, which serves
// until everything is ready for the other one.
func (m *model) replacement(kind cloud.ResourceKind, present, wanted cloud.Resource) *step {
	s, ready := m.before(kind, wanted)
	if s != nil || !ready {
		return s
	}
	if trial := wanted.Trial; trial != nil && !m.present.has(trial.Ref()) {
		return m.nextFor(kind, *trial)
	}
	due := m.deletionOf(kind, present, true)
	if due != nil {
		due.replaces = &wanted
	}
	return due
}

// fits asks once whether the cloud would have what a step leads to, in the place of a resource that is there.
func (m *model) fits(ctx context.Context, s *step) error {
	if s.replaces == nil || m.fitting[s.replaces.Ref()] {
		return nil
	}
	ref := s.replaces.Ref()
	if ask := m.byName[ref.Kind].Fits; ask != nil {
		if err := ask(ctx, m.withIDs(m.present.byRef[ref])[0], m.withIDs(*s.replaces)[0]); err != nil {
			return fmt.Errorf("%s stays as it is: %w", called(ref.Kind, ref.Key), err)
		}
	}
	m.fitting[ref] = true
	return nil
}

// isUnfit reports whether what a step leads to was not found to fit.
func (m *model) isUnfit(s *step) bool { return s.replaces != nil && !m.fitting[s.replaces.Ref()] }

// mayBeRefused reports whether the other steps go on where the cloud refuses one: what cannot be deleted ends the run.
func (m *model) mayBeRefused(s *step) bool { return s.verb != cloud.Delete || m.isUnfit(s) }

// isUnclear reports whether the balancer has to be looked at before a step, or before the end for nil: an earlier one may have
// changed what it is about.
func (m *model) isUnclear(s *step) bool {
	return s == nil || m.disturbed[s.kind.Name] || m.waitsForIDs(s)
}

// keepFormer notes a resource that a step deletes so that it can be made again, and forgets those that are made.
func (m *model) keepFormer(s *step) {
	switch {
	case s.verb == cloud.Delete && s.replaces != nil && s.replaces.Ref() == s.present.Ref():
		m.former[s.present.Ref()] = s.present
	case s.verb == cloud.Create:
		for _, r := range s.all() {
			delete(m.former, r.Ref())
		}
	}
}

// disturb forgets what a step may have changed besides its own resource.
func (m *model) disturb(s *step) {
	if s.verb == cloud.Create {
		return
	}
	for _, kind := range s.kind.Disturbs {
		if len(m.present.of(kind)) > 0 {
			m.disturbed[kind] = true
		}
	}
}

// refusal notes that the cloud refuses a step, and returns the error. Where something was deleted for it, or something else
// will do, that is wanted in its place.
func (m *model) refusal(s *step, err error) error {
	if m.isUnfit(s) {
		m.refused[s.replaces.Ref()] = true
		return err
	}
	instead := map[cloud.IDOf]cloud.Resource{}
	for _, r := range s.made() {
		if former, was := m.former[r.Ref()]; was {
			fields := maps.Clone(r.Fields) // some are for the creation alone
			maps.Copy(fields, former.Fields)
			former.ID, former.Fields = "", fields
			instead[r.Ref()] = former
			err = &cloud.NotReplaced{Resource: r.Ref(), Err: err}
		} else if r.Otherwise != nil {
			instead[r.Ref()] = *r.Otherwise
		}
	}
	m.refuse(s)
	m.repeats = m.repeats || len(instead) == 0
	for ref, r := range instead {
		m.putBack = true
		m.wanted.byRef[ref] = r
		delete(m.former, ref)
		delete(m.refused, ref)
	}
	return err
}

// made are the resources that a step makes by itself, none of any other step.
func (s *step) made() []cloud.Resource {
	switch {
	case s.verb != cloud.Create:
		return nil
	case s.kind.Together != "":
		return s.all()
	}
	return []cloud.Resource{s.wanted}
}

// remember notes that the cloud has refused before what would be made in the place of a resource that is there, and returns
// that refusal.
func (m *model) remember(change cloud.Change) []error {
	before := change.NotReplaced
	if before == nil || change.Rest != nil || !m.present.has(before.Resource) {
		return nil
	}
	m.refused[before.Resource] = true
	return []error{before}
}
