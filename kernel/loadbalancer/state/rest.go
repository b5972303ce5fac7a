package state

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Rest is what is left of a change that takes several operations, one after the other.
type Rest struct {
	// Change is that of the Service's Request, and Seen when the balancer was looked at before it.
	Change  cloud.Change
	Request string
	Seen    time.Time
	// Steps are those that are left, see cloud.Progress.
	Steps any
}
