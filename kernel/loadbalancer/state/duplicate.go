package state

import (
	"encoding/json"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

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
