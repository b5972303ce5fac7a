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
		Step:    s.doing(), More: next != nil, Observed: m.progress.Observed,
	}
	switch {
	case next == nil || m.hasRefusals():
	case len(p.Operations) > 0:
		p.Rest = m
	case b.follows && settles(m, s, *next):
		p.Operations, p.Rest, p.Settles = anchors(m), m, true
	}
	return p
}

// settles reports whether the next step can follow without a look as soon as the balancer has settled. The next one is
// about a part of it. What bears the ownership tags is changed or deleted after a look only, as another Service may use it by
// then. So are objects that others write too.
func settles(m *model, s *step, next step) bool {
	made := s.verb == cloud.Create && s.kind.Anchor
	return !made && !m.progress.Pending && next.kind.Settles > 0 && !next.kind.Anchor && !m.waitsForIDs(&next) && len(anchors(m)) > 0
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
		m.progress = cloud.Progress{Again: m.progress.Again}
		return m, nil
	}
	return b.model(ctx, change)
}
