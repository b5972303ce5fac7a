package loadbalancer

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/difference"
)

// settled are fingerprints of the balancer as the last successful run left it. "" is
// unknown.
type settled struct{ shape, targets string }

func settledAs(b cloud.Balancer) settled {
	targets := b.Targets
	b.Targets = nil
	return settled{shape: difference.Fingerprint(b), targets: difference.Fingerprint(targets)}
}

// settle remembers the state that a decision led to; before is what was remembered before
// it. A state we did not lead to is not remembered.
func (m *serviceState) settle(d decision, before settled) {
	if d.change.After == nil {
		return
	}
	now := settledAs(*d.change.After)
	if !d.whole {
		now.shape = before.shape
	}
	m.settled = now
}

// drifted returns the operations that bring back what we left: they are needed although we
// want the same as before, so somebody else changed it.
//
//	wanted then and now  operation needed  it is
//	same                 yes               drift
//	other                yes               a change of the Service or its nodes
//	unknown (restart)    yes               a change, for all we know
func drifted(d decision, before settled) []cloud.Operation {
	if d.change.After == nil {
		return nil
	}
	now := settledAs(*d.change.After)
	var undone []cloud.Operation
	for _, op := range d.change.Operations {
		if op.Kind == cloud.KindTarget && now.targets == before.targets || op.Kind != cloud.KindTarget && now.shape == before.shape {
			undone = append(undone, op)
		}
	}
	return undone
}
