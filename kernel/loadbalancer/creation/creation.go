// Package creation has the record of the load balancer that was last asked for, which a Service carries.
package creation

import (
	"encoding/json"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

// Record is what the annotation Creation of a Service says. Whoever edits the Service can write it, so it proves nothing about a load
// balancer: it only says that one may be there.
type Record struct {
	// At is when the creation was asked for, to the second.
	At time.Time `json:"at"`
	// ID is the id that the cloud answered with, "" where it has not yet.
	ID string `json:"id,omitempty"`
}

// Settling is how long a creation counts: what the cloud answered that it has made may be missing from what it shows for as long.
const Settling = 5 * time.Minute

// SettlingForDeletion is how long it counts for a Service that gives its balancer up: a former process may have deleted it just before
// it ended.
const SettlingForDeletion = time.Minute

// skew is how much the clocks of two processes may differ.
const skew = 5 * time.Second

// Left returns how long the record counts yet, 0 when it does not. One from the future is somebody else's text, or of a clock that was
// wrong.
func (r *Record) Left() time.Duration {
	if r == nil {
		return 0
	}
	if left := Settling - time.Since(r.At); left > 0 && left <= Settling+skew {
		return left
	}
	return 0
}

// Unnamed returns the record without the id, for a load balancer that was deleted: its absence is no contradiction then.
func (r Record) Unnamed() Record { return Record{At: r.At} }

// Of returns the record of a Service, nil when it has none. A text that is not ours counts as none.
func Of(svc *corev1.Service) *Record {
	r := &Record{}
	if json.Unmarshal([]byte(svc.Annotations[annotation.Creation.Name]), r) != nil || r.At.IsZero() {
		return nil
	}
	return r
}

// Annotation returns the annotation that says it.
func (r Record) Annotation() map[string]string {
	r.At = r.At.UTC().Truncate(time.Second)
	text, _ := json.Marshal(r) // a time and a text can always be encoded
	return map[string]string{annotation.Creation.Name: string(text)}
}
