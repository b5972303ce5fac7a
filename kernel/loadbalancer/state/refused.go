package state

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/refused"
)

// refusedTargets are the machines that were refused as targets, by the id of the balancer, "" for one that is not there yet.
type refusedTargets struct{ by map[string]*refused.Targets }

// mostRefusedBy is of how many balancers of a Service it is remembered: one that serves, one beside it, and one before.
const mostRefusedBy = 3

// RefusedBy returns what is remembered of the machines that were refused as targets of a balancer, nil for nothing. What was
// refused before it was made counts for it.
func (m *Service) RefusedBy(id string) *refused.Targets {
	if m.refused == nil {
		return nil
	}
	if r := m.refused.by[id]; r != nil || id == "" || id != m.Created {
		return r
	}
	return m.refused.by[""]
}

// NoteRefused learns from a request for a balancer that was refused, and reports whether another one has to follow soon.
func (m *Service) NoteRefused(id string, refusals []*cloud.TargetsRefused) (again bool) {
	r := m.RefusedBy(id)
	if r == nil {
		r = &refused.Targets{}
	}
	if again = r.Note(refusals, time.Now()); again {
		if m.refused == nil || len(m.refused.by) > mostRefusedBy {
			m.refused = &refusedTargets{map[string]*refused.Targets{}}
		}
		m.refused.by[id] = r
	}
	return again
}
