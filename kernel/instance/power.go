package instance

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// powerAge is how long a power state is believed that costs a request of its own.
const powerAge = 5 * time.Minute

// power knows whether machines are off whose lists do not tell it.
type power struct {
	*state
	mu    sync.Mutex
	known map[cloud.InstanceID]powerState
}

type powerState struct {
	off bool
	at  time.Time
}

func newPower(s *state) *power {
	return &power{state: s, known: map[cloud.InstanceID]powerState{}}
}

// off reports whether a machine is off.
func (p *power) off(ctx context.Context, id cloud.InstanceID) (bool, error) {
	if s, known := p.remembered(id); known {
		return s.off, nil
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
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[id] = powerState{off, time.Now()}
	return off, nil
}

// remembered returns what was read lately.
func (p *power) remembered(id cloud.InstanceID) (s powerState, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.known, func(_ cloud.InstanceID, s powerState) bool { return time.Since(s.at) > powerAge })
	s, known = p.known[id]
	return s, known
}
