package world

import (
	"maps"
	"sync"
)

// Counters count the calls of the driver's half since the start or the last reset.
type Counters struct {
	Reads      int            `json:"reads"`
	Writes     int            `json:"writes"`
	Operations map[string]int `json:"operations"`
}

// Counters returns a copy of the counters.
func (w *World) Counters() Counters { return w.counters.copy() }

// ResetCounters starts counting from 0.
func (w *World) ResetCounters() { w.counters.reset() }

type counters struct {
	mu  sync.Mutex
	now Counters
}

func (c *counters) add(o operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.read {
		c.now.Reads++
	} else {
		c.now.Writes++
	}
	if c.now.Operations == nil {
		c.now.Operations = map[string]int{}
	}
	c.now.Operations[o.name]++
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
