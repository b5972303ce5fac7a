package loadbalancer

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
)

// failedCreation counts the balancers of a Service that failed before they ever served.
type failedCreation struct {
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

// failedOnCreate reports whether the balancer is to be deleted because it never was of any use:
//
//	state   ours by mark  Service has an address or id  failed for  failedOnCreate
//	failed  yes           no                            long        yes
//	failed  yes           no                            –           yes, if its deletion has begun
//	any     any           any                           any         no: what serves, or did, is for people to mend
func (p *pipeline) failedOnCreate(observed cloud.Observed) bool {
	ours := observed.Owner.UID != "" && observed.Owner.UID == p.Spec.Ref.Owner.UID
	served := len(p.Service.Status.LoadBalancer.Ingress) > 0 || p.Recorded != "" || p.Adopt != ""
	if observed.State != cloud.BalancerFailed || !ours || served {
		p.state.failedCreation.seen = time.Time{}
		return false
	}
	if p.state.failedCreation.seen.IsZero() {
		p.state.failedCreation.seen = time.Now()
	}
	return p.state.failedCreation.id == observed.ID || time.Since(p.state.failedCreation.seen) >= p.state.failedCreation.wait()
}

// wait returns how long a balancer that failed is left.
func (s *failedCreation) wait() time.Duration {
	return min(recreateFirst<<min(s.deleted, 8), recreateLast)
}

// recreate deletes a balancer that failed on creation.
func (p *pipeline) recreate(observed cloud.Observed, c candidates) decision {
	deletion := difference.Removal(observed, "it failed before it ever served; the next run makes another one")
	d := p.decision(p.complete(observed, c), observed, nil, []cloud.Operation{deletion})
	d.recreates, d.replaces = true, true
	return d
}

// count notes that a balancer is being deleted, which can take several runs.
func (s *failedCreation) count(id string) {
	if s.id != id {
		s.id, s.deleted = id, s.deleted+1
	}
	s.seen = time.Time{}
}
