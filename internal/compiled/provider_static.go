//go:build !slim || static

package compiled

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/inventory"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
	"github.com/multicloud-ccm/multicloud-ccm/providers/static"
)

func init() {
	registry.Register(registry.Provider{Descriptor: static.Descriptor(), New: static.New, Check: static.Check, Inventory: inventory.Open})
}
