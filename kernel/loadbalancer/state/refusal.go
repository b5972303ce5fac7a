package state

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Refusal is why a Service without a balancer was refused, after what its balancer needs was looked up.
type Refusal struct {
	// Request is what the Service asked for.
	Request string
	At      time.Time
	// Said is what was said, and Err the error.
	Said []problem.Warning
	Err  error
}

// refusalAge is for how long what was looked up counts where somebody may mend it in the cloud.
const refusalAge = 30 * time.Second

// Counts reports whether it is still the answer to a request. Where something has to be mended on the Service first, it is until the
// Service changes.
func (r *Refusal) Counts(request string, mended bool) bool {
	return r != nil && r.Request == request && (!mended || time.Since(r.At) < refusalAge)
}
