package state

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Refusal is why a Service without a balancer was refused, after what its balancer needs was looked up.
type Refusal struct {
	// Request is what the Service asked for, and Machines are those that could be targets.
	Request, Machines string
	At                time.Time
	// Said is what was said, and Err the error.
	Said []problem.Warning
	Err  error
}

// For how long counts what was looked up: somebody may mend it in the cloud. Where something has to be mended on the Service
// first, it counts for longer.
const (
	refusalAge    = 30 * time.Second
	impossibleAge = 10 * time.Minute
)

// Counts reports whether it is still the answer to a request, which is impossible whatever there is in the cloud, or is not.
func (r *Refusal) Counts(request string, impossible bool) bool {
	age := refusalAge
	if impossible {
		age = impossibleAge
	}
	return r != nil && r.Request == request && time.Since(r.At) < age
}
