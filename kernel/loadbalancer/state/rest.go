package state

import (
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Rest is what is left of a change whose operations go on.
type Rest struct {
	// Change is that of the Service's Request, and Seen when the balancer was looked at before it.
	Change  cloud.Change
	Request string
	Seen    time.Time
	// Steps are those that are left, and Told what the balancer is where none is, see cloud.Progress.
	Steps any
	Told  *cloud.Observed
}
