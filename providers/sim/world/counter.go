package world

import (
	"maps"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/fault"
)

// Counters count the calls of the driver's half since the start or the last reset.
type Counters struct {
	Reads      int            `json:"reads"`
	Writes     int            `json:"writes"`
	Operations map[string]int `json:"operations"`
}

type counters struct {
	mu  sync.Mutex
	now Counters
}

func (c *counters) add(o fault.Operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.Read {
		c.now.Reads++
	} else {
		c.now.Writes++
	}
	if c.now.Operations == nil {
		c.now.Operations = map[string]int{}
	}
	c.now.Operations[o.Name]++
}

func (c *counters) copy() Counters {
	c.mu.Lock()
	defer c.mu.Unlock()
	copied := c.now
	copied.Operations = maps.Clone(c.now.Operations)
	return copied
}

func (c *counters) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = Counters{}
}
