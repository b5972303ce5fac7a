package decide

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/target"
)

// failedOnCreate reports whether the balancer is to be deleted because it never was of any use:
//
//	state   ours by mark  Service has an address or id  failed for  failedOnCreate
//	failed  yes           no                            long        yes
//	failed  yes           no                            –           yes, if its deletion has begun
//	any     any           any                           any         no: what serves, or did, is for people to mend
func (p Policy) failedOnCreate(observed cloud.Observed) bool {
	ours := observed.Owner.UID != "" && observed.Owner.UID == p.Spec.Ref.Owner.UID
	served := len(p.Service.Status.LoadBalancer.Ingress) > 0 || p.Recorded != "" || p.Adopt != ""
	if observed.State != cloud.BalancerFailed || !ours || served {
		p.State.FailedCreation.Passed()
		return false
	}
	return p.State.FailedCreation.Due(observed.ID)
}

// recreate deletes a balancer that failed on creation.
func (p Policy) recreate(observed cloud.Observed, c target.Candidates) Decision {
	deletion := difference.Removal(observed, "it failed before it ever served; the next run makes another one")
	d := p.Decision(p.Complete(observed, c.Targets), observed, nil, []cloud.Operation{deletion})
	d.Recreates, d.Replaces = true, true
	return d
}
