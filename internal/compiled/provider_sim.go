//go:build !slim || sim

package compiled

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim"
)

func init() {
	registry.Register(registry.Provider{Descriptor: sim.Descriptor(), New: sim.New, Check: sim.Check, Annotations: sim.Annotations()})
}
