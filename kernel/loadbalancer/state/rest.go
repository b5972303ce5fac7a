package state

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Rest is what is left of a change of targets that takes several operations, one after the other.
type Rest struct {
	// Before is the balancer as it was observed, and Seen when.
	Before cloud.Observed
	Seen   time.Time
	// After is what the change leads to, for the Service's Request.
	After   cloud.Balancer
	Request string
	// Steps are those that are left, see cloud.Progress.
	Steps any
}
