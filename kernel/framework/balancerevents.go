package framework

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// balancerEvents leaves out what upstream says: the service controller writes the error of an
// ensure into an event of its own, with each retry. What it is not told, because a deletion runs
// beside it, is said here; what it is not told because a change is tried again, watch says.
type balancerEvents struct {
	next event.Recorder
	// departing reports whether the Service's balancer is being deleted.
	departing func(types.UID) bool
}

func (e *balancerEvents) Record(object event.Object, reason event.Reason, message string) {
	if reason == event.CloudFailure && !e.departing(types.UID(object.UID)) {
		return
	}
	e.next.Record(object, reason, message)
}

// departing reports whether the balancer of a Service is being deleted.
func (c *Cloud) departing(uid types.UID) bool {
	if c.loadBalancers == nil {
		return true // nobody else says anything
	}
	begun, _ := c.loadBalancers.departures.state(uid)
	return begun
}
