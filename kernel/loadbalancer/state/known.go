package state

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Known returns what is kept of an observation where the driver recalls the balancer. The targets of
// listeners are mostly those of the balancer, of which one list is enough.
func Known(o cloud.Observed) *cloud.Observed {
	b := o.Balancer
	b.Listeners = slices.Clone(b.Listeners)
	for i, l := range b.Listeners {
		if l.Targets != nil && slices.Equal(l.Targets, b.Targets) {
			b.Listeners[i].Targets = b.Targets
		}
	}
	return &cloud.Observed{Found: true, ID: o.ID, Balancer: b}
}

// Recall keeps what a balancer is after a change that was carried out whole, as it was told. Which of its
// targets each listener has follows from the request.
func (m *Service) Recall(told *cloud.Observed) {
	if told == nil || told.State != cloud.BalancerActive {
		return
	}
	m.Last = Known(*told)
	for i := range m.Last.Balancer.Listeners {
		m.Last.Balancer.Listeners[i].Targets = nil
	}
}
