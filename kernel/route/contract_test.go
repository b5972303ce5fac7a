package route

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/instance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety"
)

// What the rest of the kernel gives a Manager fits.
var (
	_ Machines = (*instance.Inventory)(nil)
	_ Brake    = (*safety.Brake)(nil)
)
