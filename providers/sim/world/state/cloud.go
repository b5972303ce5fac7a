// Package state is what the cloud holds, and how it changes: machines, networks, load balancers, routes, and the operations as which
// changes go on. It is strict: what can't be is refused, and the rest is stored in a canonical form.
package state

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// Settings are the temper of a world.
type Settings struct {
	// Latency delays every answer of the driver's half.
	Latency Duration `json:"latency"`
	// ActivateAfter is how long a new balancer is pending, and refuses changes.
	ActivateAfter Duration `json:"activate_after"`
	// DeleteAfter is how long a deleted balancer can still be seen.
	DeleteAfter Duration `json:"delete_after"`
	// OperationsTake is how long changes go on after their answer, which names an operation then. What
	// is being changed looks as before until that ends. 0 makes every answer final.
	OperationsTake Duration `json:"operations_take"`
	Quota          Quota    `json:"quota"`
}

// Quota limits what an account can have; 0 means no limit.
type Quota struct {
	Balancers int `json:"balancers"`
	// Targets and Listeners are per balancer.
	Targets   int `json:"targets"`
	Listeners int `json:"listeners"`
	Routes    int `json:"routes"`
}

// Cloud is what an account has. It is safe for concurrent use; Close it to end what carries traffic.
type Cloud struct {
	region string
	proxy  bool

	mu       sync.Mutex
	settings Settings
	last     map[string]int // highest number given, by id prefix
	// All in order of creation.
	networks  []api.Network
	machines  machines
	balancers balancers
	routes    []*api.Route
	jobs      jobs
}

// New returns a cloud with one network and nothing in it. With proxy its balancers carry TCP.
func New(region string, proxy bool, s Settings) *Cloud {
	c := &Cloud{region: region, proxy: proxy, settings: s, last: map[string]int{}}
	c.networks = []api.Network{{ID: c.newID("net"), Name: "default", CIDR: "10.0.0.0/8"}}
	return c
}

// Close ends everything that runs.
func (c *Cloud) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.balancers {
		b.proxy.Close()
	}
}

// Zones returns the zones of the region.
func (c *Cloud) Zones() []string {
	return []string{c.region + "a", c.region + "b", c.region + "c"}
}

// Set changes the settings.
func (c *Cloud) Set(s Settings) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settings = s
}

// Settings returns the settings.
func (c *Cloud) Settings() Settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.settings
}

// Networks returns all networks.
func (c *Cloud) Networks() []api.Network { return slices.Clone(c.networks) }

// newID returns the next id with that prefix.
func (c *Cloud) newID(prefix string) string {
	c.last[prefix]++
	return prefix + "-" + strconv.Itoa(c.last[prefix])
}

// lock takes the state and brings it up to the present time.
func (c *Cloud) lock() (unlock func()) {
	c.mu.Lock()
	c.advance(time.Now())
	return c.mu.Unlock
}

// Settle ends all waiting: operations end, pending balancers become active, deleted ones disappear.
func (c *Cloud) Settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range c.jobs {
		j.end = time.Time{}
	}
	for _, b := range c.balancers {
		b.activeAt = time.Time{}
		if b.Status == api.StatusDeleting {
			b.goneAt = time.Time{}
		}
	}
	c.advance(time.Now())
}

func (c *Cloud) advance(now time.Time) {
	c.jobs.finish(now)
	c.balancers = slices.DeleteFunc(c.balancers, func(b *balancer) bool {
		return b.Status == api.StatusDeleting && !now.Before(b.goneAt)
	})
	for _, b := range c.balancers {
		if b.Status == api.StatusPending && !now.Before(b.activeAt) {
			b.Status = api.StatusActive
		}
	}
}
