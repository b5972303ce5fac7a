package state

import (
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/proxy"
)

type balancer struct {
	api.Balancer
	activeAt, goneAt time.Time
	proxy            *proxy.Proxy // nil when nothing carries traffic
	recorded         map[string]string
}

// Balancers returns all balancers.
func (c *Cloud) Balancers() []api.Balancer {
	defer c.lock()()
	list := []api.Balancer{}
	for _, b := range c.balancers {
		list = append(list, b.show())
	}
	return list
}

// Balancer returns one balancer.
func (c *Cloud) Balancer(id string) (api.Balancer, error) {
	defer c.lock()()
	b, err := c.balancers.find(id)
	if err != nil {
		return api.Balancer{}, err
	}
	return b.show(), nil
}

func (b *balancer) show() api.Balancer {
	shown := b.Balancer
	shown.TargetHealth = map[string]string{}
	for _, id := range b.Targets {
		shown.TargetHealth[id] = api.HealthUnknown
		if health, ok := b.recorded[id]; ok {
			shown.TargetHealth[id] = health
		}
	}
	b.proxy.Report(&shown)
	return shown
}

type balancers []*balancer

func (all balancers) find(id string) (*balancer, error) {
	for _, b := range all {
		if b.ID == id {
			return b, nil
		}
	}
	return nil, api.NotFound("balancer", id)
}

// CreateBalancer creates a balancer; with late it fails afterwards.
func (c *Cloud) CreateBalancer(spec api.BalancerSpec, late *api.Failure) (api.Balancer, error) {
	defer c.lock()()
	if err := c.complete(&spec, ""); err != nil {
		return api.Balancer{}, err
	}
	if limit := c.settings.Quota.Balancers; limit > 0 && len(c.balancers) >= limit {
		return api.Balancer{}, api.OverQuota("balancers", limit)
	}
	b := &balancer{
		Balancer: api.Balancer{ID: c.newID("lb"), BalancerSpec: spec, Status: api.StatusPending},
		activeAt: time.Now().Add(time.Duration(c.settings.ActivateAfter)),
		recorded: map[string]string{},
	}
	c.balancers = append(c.balancers, b)
	operations := c.job(late, b.ID, func() {
		b.Addresses = c.balancerAddresses(spec)
		switch c.carrier {
		case Proxies:
			b.proxy = proxy.New(b.Addresses[0])
		case Others:
			b.proxy = proxy.New("")
		}
		c.forward(b)
	}, func() {
		c.balancers = slices.DeleteFunc(c.balancers, func(other *balancer) bool { return other == b })
	})
	c.advance(time.Now())
	return b.goesOn(operations), nil
}

// goesOn returns the balancer as the answer to a change.
func (b *balancer) goesOn(operations []string) api.Balancer {
	shown := b.show()
	shown.Operations = operations
	return shown
}

// balancerAddresses gives a new balancer its addresses: a loopback address of its own for a proxy, one of the network where others
// carry traffic, otherwise one that can't be mistaken for a real one (RFC 2544, RFC 3849).
func (c *Cloud) balancerAddresses(spec api.BalancerSpec) []string {
	base := "198.19.0.0"
	switch {
	case c.carrier == Proxies:
		base = "127.77.0.0"
	case c.carrier == Others:
		base = c.network.String()
	case spec.Internal:
		base = "10.255.0.0"
	}
	c.last["address"]++
	addresses := []string{numbered(base, c.last["address"])}
	if spec.DualStack {
		addresses = append(addresses, numbered6("2001:db8::", c.last["address"]))
	}
	return addresses
}

// UpdateBalancer replaces the spec of a balancer; with late it fails afterwards.
func (c *Cloud) UpdateBalancer(id string, spec api.BalancerSpec, late *api.Failure) (api.Balancer, error) {
	defer c.lock()()
	b, err := c.balancers.find(id)
	if err != nil {
		return api.Balancer{}, err
	}
	if b.Status == api.StatusPending || b.Status == api.StatusDeleting {
		return api.Balancer{}, api.Conflict("%s is %s", id, b.Status)
	}
	if err := c.jobs.free(id); err != nil {
		return api.Balancer{}, err
	}
	if err := c.complete(&spec, id); err != nil {
		return api.Balancer{}, err
	}
	if spec.Internal != b.Internal {
		return api.Balancer{}, api.Invalid("internal can't be changed")
	}
	if spec.DualStack != b.DualStack {
		return api.Balancer{}, api.Invalid("dual_stack can't be changed")
	}
	operations := c.job(late, id, func() {
		b.BalancerSpec = spec
		c.forward(b)
	}, nil)
	return b.goesOn(operations), nil
}

// DeleteBalancer returns what is left to be seen of the balancer, nil when it is gone. With late it fails
// afterwards.
func (c *Cloud) DeleteBalancer(id string, late *api.Failure) (*api.Balancer, error) {
	defer c.lock()()
	b, err := c.balancers.find(id)
	if err == nil && b.Status != api.StatusDeleting {
		err = c.jobs.free(id)
	}
	if err != nil {
		return nil, err
	}
	var operations []string
	if b.Status != api.StatusDeleting {
		operations = c.job(late, id, func() {
			b.Status = api.StatusDeleting
			b.goneAt = time.Now().Add(time.Duration(c.settings.DeleteAfter))
			b.proxy.Close()
		}, nil)
		c.advance(time.Now())
	}
	if !slices.Contains(c.balancers, b) {
		return nil, nil
	}
	shown := b.goesOn(operations)
	return &shown, nil
}

// EditBalancer changes a balancer as its owner would by hand, without any check. Nothing
// is counted.
func (c *Cloud) EditBalancer(id string, edit func(*api.Balancer)) error {
	defer c.lock()()
	b, err := c.balancers.find(id)
	if err != nil {
		return err
	}
	edit(&b.Balancer)
	c.forward(b)
	return nil
}

// RecordHealth says what a health check found; forwarding balancers find out themselves.
func (c *Cloud) RecordHealth(id, machine, health string) error {
	defer c.lock()()
	b, err := c.balancers.find(id)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{api.HealthHealthy, api.HealthUnhealthy, api.HealthUnknown}, health) {
		return api.Invalid("health %q is none of healthy, unhealthy, unknown", health)
	}
	if !slices.Contains(b.Targets, machine) {
		return api.Invalid("%s is no target of %s", machine, id)
	}
	b.recorded[machine] = health
	return nil
}

// forward tells the proxy of a balancer what it has to do now.
func (c *Cloud) forward(b *balancer) {
	if b.proxy == nil {
		return
	}
	backends := map[string]string{}
	for _, m := range c.machines {
		if slices.Contains(b.Targets, m.ID) && m.IPv4() != "" {
			backends[m.ID] = m.IPv4()
		}
	}
	b.proxy.Apply(b.BalancerSpec, backends)
}

func (c *Cloud) forwardAll() {
	for _, b := range c.balancers {
		c.forward(b)
	}
}
