package balancer

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// Events leaves out what upstream says: the service controller writes the error of an
// ensure into an event of its own, with each retry. What it is not told, because a deletion runs
// beside it, is said here; what it is not told because a change is tried again, watch says.
type Events struct {
	Next event.Recorder
	// Departing reports whether the Service's balancer is being deleted.
	Departing func(types.UID) bool
}

// Record implements [event.Recorder].
func (e *Events) Record(object event.Object, reason event.Reason, message string) {
	if reason == event.CloudFailure && !e.Departing(types.UID(object.UID)) {
		return
	}
	e.Next.Record(object, reason, message)
}
