package composite

import (
	"context"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// paused is the progress after a step with which the cloud is busy for a while.
func (b *balancers) paused(m *model, s *step) cloud.Progress {
	next := m.next()
	p := cloud.Progress{
		Warnings: m.progress.Warnings, Pending: true, After: s.kind.Settles, Operations: m.progress.Operations,
		Removed: s.verb == cloud.Delete && s.kind.Anchor && len(m.present.of(s.kind.Name)) == 0,
		Step:    s.doing(), More: next != nil, Observed: m.progress.Observed, GoesOn: !m.repeats,
	}
	switch {
	case next == nil || m.hasRefusals() && len(m.former) == 0 || m.disturbed[next.kind.Name]:
	case len(p.Operations) > 0: // what was deleted to be made again is known to this model alone
		p.Rest, p.Settles = m, len(m.former) > 0
		m.progress.Settles = p.Settles
	case b.follows && settles(m, s, *next):
		p.Operations, p.Rest, p.Settles = anchors(m), m, true
		m.progress.Settles = true
	}
	return p
}

// settles reports whether the next step can follow without a look as soon as the balancer has settled:
//
//	the next step                         follows
//	changes what bears ownership tags     where the request compares them first: another Service may use it by then
//	deletes that                          no, for the same reason
//	is about a part of the balancer       yes
//	makes an object that does not settle  where the balancer was made just before, and the answer says what is needed of it
//	changes or deletes such an object     no: others write it too
func settles(m *model, s *step, next step) bool {
	made := s.verb == cloud.Create && s.kind.Anchor
	if made && s.kind.CreateBalancer == nil || m.progress.Pending || m.waitsForIDs(&next) || len(anchors(m)) == 0 {
		return false
	}
	switch {
	case next.kind.Anchor:
		return next.kind.Compares && next.verb == cloud.Update
	case next.kind.Settles > 0:
		return true
	}
	return made && next.verb == cloud.Create
}

// anchors are the ids of what bears the ownership tags.
func anchors(m *model) (ids []string) {
	for _, kind := range m.kinds {
		for _, r := range m.present.of(kind.Name) {
			if kind.Anchor {
				ids = append(ids, r.ID)
			}
		}
	}
	return ids
}

// begun returns the model of a change that begins, or goes on.
func (b *balancers) begun(ctx context.Context, change cloud.Change) (*model, error) {
	if m, goesOn := change.Rest.(*model); goesOn {
		m.unseen, m.progress = m.progress.Settles, cloud.Progress{Again: m.progress.Again}
		return m, nil
	}
	return b.model(ctx, change)
}
