// Package state has what this process remembers of each Service between two runs.
package state

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/creation"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/refused"
)

// Service is what this process remembers of a Service. Losing it costs reads, an event, and where
// the cloud does not store what it is told at most one more replacement.
type Service struct {
	// Created is the id of the balancer we created, "" when we did not.
	Created string
	// Confirmed is the one of those that a list has shown.
	Confirmed string
	// Told is the id of the balancer whose address a run has told.
	Told string
	// Creation is the last creation that the cloud answered.
	Creation creation.Record
	// Creating is the id of the balancer that the last change made, "" where it made none.
	Creating string
	// Unlisted says that lists do not show yet what was made.
	Unlisted bool
	// Duplicates are second balancers that were seen, nil when there are none. Before are those that a former process saw.
	Duplicates, Before *Duplicates
	// Wrote is when we last changed the balancer, or may have.
	Wrote time.Time
	// Phase is how the last run left the balancer, nil where nothing goes on.
	Phase Phase
	// NotReplaced is why the cloud does not have a part of the balancer as the Service asks for it, nil where it has all.
	NotReplaced *NotReplaced
	// Last is what is kept of the last observation, nil when nothing was found.
	Last           *cloud.Observed
	LastApplied    LastApplied
	Repeated       Repetition
	FailedCreation FailedCreation
	// Successor is the id of the balancer we made beside the one that serves, and Refusals is how
	// often a creation failed in a row.
	Successor string
	Refusals  int
	// Brought is the id of the balancer whose targets this process has brought to the nodes once,
	// and Kept what it kept then for want of proof, nil for nothing.
	Brought string
	Kept    *KeptTargets
	// Retargeted are the machines to which the targets were brought of a balancer whose Service asks for something impossible, ""
	// for none.
	Retargeted string
	// Refusal is why the Service was last refused, as far as it counts when it is tried again, nil for nothing.
	Refusal *Refusal
	// Refused are the machines that the cloud has refused as targets, nil for none.
	Refused *RefusedTargets
}

// KeptTargets are targets that were kept, and the request that was made then.
type KeptTargets struct {
	Targets []cloud.InstanceID
	Request string
}

// NotReplaced is a part that was put back as it was before, and the request that was made then.
type NotReplaced struct {
	Why     *cloud.NotReplaced
	Request string
}

// Refusal is why a Service without a balancer was refused, after what its balancer needs was looked up.
type Refusal struct {
	// Request is what the Service asked for, and Machines are those that could be targets.
	Request, Machines string
	At                time.Time
	// Said is what was said, and Err the error.
	Said []problem.Warning
	Err  error
}

// RefusedTargets are the machines that were refused as targets, by the id of the balancer, "" for one that is not there yet.
type RefusedTargets struct{ By map[string]*refused.Targets }

// RefusedBy returns what is remembered of the machines that were refused as targets of a balancer, nil for nothing. What was
// refused before it was made counts for it.
func (m *Service) RefusedBy(id string) *refused.Targets {
	if m.Refused == nil {
		return nil
	}
	if r := m.Refused.By[id]; r != nil || id == "" || id != m.Created {
		return r
	}
	return m.Refused.By[""]
}

// FailedCreation counts the balancers of a Service that failed before they ever served.
type FailedCreation struct {
	// seen is when the present one was first seen failed, zero when it has not.
	seen time.Time
	// id is the last one that was deleted to be made anew, and deleted how many were.
	id      string
	deleted int
}

// How long a balancer that failed before it served is left before it is deleted, so that the next
// run makes another one. The wait doubles: what failed for want of room or rights will fail again.
const (
	recreateFirst = 10 * time.Second
	recreateLast  = 5 * time.Minute
)

// Saw notes whether the balancer is seen failed.
func (s *FailedCreation) Saw(failed bool) {
	switch {
	case !failed:
		s.seen = time.Time{}
	case s.seen.IsZero():
		s.seen = time.Now()
	}
}

// Due reports whether the balancer, which is seen failed, is to be deleted now.
func (s *FailedCreation) Due(id string) bool {
	return s.id == id || !s.seen.IsZero() && time.Since(s.seen) >= s.Wait()
}

// Wait returns how long a balancer that failed is left.
func (s *FailedCreation) Wait() time.Duration {
	return min(recreateFirst<<min(s.deleted, 8), recreateLast)
}

// Count notes that a balancer is being deleted, which can take several runs.
func (s *FailedCreation) Count(id string) {
	if s.id != id {
		s.id, s.deleted = id, s.deleted+1
	}
	s.seen = time.Time{}
}

// LastApplied are fingerprints of the balancer as the last successful run left it. "" is
// unknown.
type LastApplied struct{ shape, targets string }

func lastApplied(b cloud.Balancer) LastApplied {
	targets := b.Targets
	b.Targets = nil
	return LastApplied{shape: difference.Fingerprint(b), targets: difference.Fingerprint(targets)}
}

// RecordApplied remembers the state that a change led to, the whole of it or its targets; before is what was
// remembered before it. A state we did not lead to is not remembered.
func (m *Service) RecordApplied(after *cloud.Balancer, whole bool, before LastApplied) {
	if after == nil {
		return
	}
	m.LastApplied = lastApplied(*after)
	if !whole {
		m.LastApplied.shape = before.shape
	}
}

// Undone returns the operations that bring back what we left: they are needed although we
// want the same as before, so somebody else changed it.
//
//	wanted then and now  operation needed  it is
//	same                 yes               drift
//	other                yes               a change of the Service or its nodes
//	unknown (restart)    yes               a change, for all we know
func (s LastApplied) Undone(change cloud.Change) []cloud.Operation {
	if change.After == nil {
		return nil
	}
	now := lastApplied(*change.After)
	var undone []cloud.Operation
	for _, op := range change.Operations {
		if op.Kind == cloud.KindTarget && now.targets == s.targets || op.Kind != cloud.KindTarget && now.shape == s.shape {
			undone = append(undone, op)
		}
	}
	return undone
}

// Repetition counts how often the same changes were made for the same request in a row. Where a
// change takes several runs, it is the most often made step of it that counts.
type Repetition struct {
	changes string
	Times   int
	steps   *stepCounts
}

// stepCounts is how often each step was made.
type stepCounts map[string]int

// Again returns the repetition that making the changes once more would be.
func (r Repetition) Again(changes string) Repetition {
	if r.changes != changes {
		return Repetition{changes: changes, Times: 1}
	}
	r.Times++
	return r
}

// With returns the repetition after a step of the change, "" where the change is one.
func (r Repetition) With(step string) Repetition {
	if step == "" {
		return r
	}
	counts := stepCounts{}
	if r.steps != nil {
		counts = maps.Clone(*r.steps)
	}
	counts[step]++
	r.steps, r.Times = &counts, 0
	for _, times := range counts {
		r.Times = max(r.Times, times)
	}
	return r
}

// Duplicates are second balancers of a Service, as two processes make them that work at once for
// a moment. The annotation Duplicates has them, so that they outlive the process.
type Duplicates struct {
	IDs []string `json:"ids"`
	// Since is when the last of them was first seen beside the balancer that is kept.
	Since time.Time `json:"since"`
}

// DuplicateWait is how long a second balancer is left, so that no other process works any more and
// the Service in the cache is the present one. A lease lasts a fraction of it.
const DuplicateWait = time.Minute

// Wait returns how long nothing may be deleted yet, 0 or less when it may.
func (d *Duplicates) Wait() time.Duration { return DuplicateWait - time.Since(d.Since) }

// Text returns the text of the annotation, "" for no duplicates.
func (d *Duplicates) Text() string {
	if d == nil {
		return ""
	}
	text, _ := json.Marshal(Duplicates{IDs: d.IDs, Since: d.Since.UTC().Truncate(time.Second)}) // texts and a time can always be encoded
	return string(text)
}

// DuplicatesOf returns what a former process wrote on the Service, nil for nothing. Whoever edits the Service can write it: it says
// since when a balancer is known that this process sees too, and leads to none.
func DuplicatesOf(svc *corev1.Service) *Duplicates {
	d := &Duplicates{}
	if json.Unmarshal([]byte(svc.Annotations[annotation.Duplicates.Name]), d) != nil || len(d.IDs) == 0 || d.Since.After(time.Now()) {
		return nil
	}
	return d
}

// Note adds what was seen beside the balancer that is kept, and returns all second balancers, nil
// when there are none. What a former process saw already was not made just now.
func (m *Service) Note(seen []string, kept string) *Duplicates {
	for _, id := range seen {
		if id == kept || m.Duplicates != nil && slices.Contains(m.Duplicates.IDs, id) {
			continue
		}
		since := time.Now()
		if m.Before != nil && slices.Contains(m.Before.IDs, id) {
			since = m.Before.Since
		}
		if m.Duplicates == nil {
			m.Duplicates = &Duplicates{}
		}
		m.Duplicates.IDs = append(m.Duplicates.IDs, id)
		if since.After(m.Duplicates.Since) {
			m.Duplicates.Since = since
		}
	}
	return m.Duplicates
}
