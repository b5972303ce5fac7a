// Package state is what the cloud holds, and how it changes: machines, networks, load balancers, routes, and the operations as which
// changes go on. It is strict: what can't be is refused, and the rest is stored in a canonical form.
package state

import (
	"net/netip"
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

// Carrier is what carries the traffic of balancers.
type Carrier int

const (
	// Nothing carries it. The addresses of balancers can't be mistaken for real ones (RFC 2544).
	Nothing Carrier = iota
	// Proxies of this process carry TCP: each balancer has a loopback address and probes its targets.
	Proxies
	// Others carry it, and ask which targets are healthy: balancers only probe them.
	Others
)

// Cloud is what an account has. It is safe for concurrent use; Close it to end what carries traffic.
type Cloud struct {
	region  string
	carrier Carrier
	// network is where Others have the balancers' addresses.
	network netip.Addr

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

// Options shape a new cloud.
type Options struct {
	Region  string
	Carrier Carrier
	// Addresses begin after this one, with the carrier Others.
	Addresses netip.Addr
	Settings  Settings
}

// New returns a cloud with one network and nothing in it.
func New(o Options) *Cloud {
	c := &Cloud{region: o.Region, carrier: o.Carrier, network: o.Addresses, settings: o.Settings, last: map[string]int{}}
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
