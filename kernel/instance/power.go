package instance

import (
	"context"
	"fmt"
	"time"

	utilcache "k8s.io/apimachinery/pkg/util/cache"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// powerAge is how long a power state is believed that costs a request of its own.
const powerAge = 5 * time.Minute

// power knows whether machines are off whose lists do not tell it.
type power struct {
	*state
	known *utilcache.Expiring
}

func newPower(s *state) *power { return &power{state: s, known: utilcache.NewExpiring()} }

func (p *power) off(ctx context.Context, id cloud.InstanceID) (bool, error) {
	if off, known := p.known.Get(id); known {
		return off.(bool), nil
	}
	if err := p.budget.allowSingle(); err != nil {
		return false, fmt.Errorf("whether machine %s is off: %w", id, err)
	}
	found, err := p.reads.fetch(ctx, []cloud.InstanceID{id})
	if err != nil {
		return false, fmt.Errorf("whether machine %s is off: %w", id, err)
	}
	machine, exists := found[id]
	if !exists {
		return false, fmt.Errorf("whether machine %s is off is not known: it was not found", id)
	}
	off := machine.State == cloud.StateStopped
	p.known.Set(id, off, powerAge)
	return off, nil
}
