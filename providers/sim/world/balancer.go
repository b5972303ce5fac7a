package world

import (
	"slices"
	"time"
)

// Life-cycle states of a balancer.
const (
	StatusPending  = "pending"
	StatusActive   = "active"
	StatusFailed   = "failed"
	StatusDeleting = "deleting"
)

// BalancerSpec is what a client says about a balancer; PUT replaces all of it.
type BalancerSpec struct {
	// Name is unique in the account.
	Name string `json:"name"`
	// Internal and DualStack can't be changed later.
	Internal  bool `json:"internal"`
	DualStack bool `json:"dual_stack"`
	// Algorithm is "round_robin" (default) or "least_connections".
	Algorithm     string      `json:"algorithm"`
	ProxyProtocol bool        `json:"proxy_protocol"`
	Listeners     []Listener  `json:"listeners"`
	HealthCheck   HealthCheck `json:"health_check"`
	// AllowedSources are client networks; empty means everyone. They are stored masked,
	// sorted and without duplicates.
	AllowedSources []string `json:"allowed_sources"`
	// Targets are ids of machines, stored sorted and without duplicates.
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// Listener is an open port; traffic goes to NodePort of a target.
type Listener struct {
	// Protocol is "tcp" or "udp".
	Protocol string `json:"protocol"`
	Port     int    `json:"port"`
	NodePort int    `json:"node_port"`
}

// HealthCheck decides which targets get traffic.
type HealthCheck struct {
	// Protocol is "http" (GET of Path answers 200) or "tcp" (it connects).
	Protocol           string `json:"protocol"`
	Port               int    `json:"port"`
	Path               string `json:"path,omitempty"`
	IntervalSeconds    int    `json:"interval_seconds"`
	TimeoutSeconds     int    `json:"timeout_seconds"`
	HealthyThreshold   int    `json:"healthy_threshold"`
	UnhealthyThreshold int    `json:"unhealthy_threshold"`
}

// Balancer is a load balancer as the API shows it.
type Balancer struct {
	ID string `json:"id"`
	BalancerSpec
	Status    string   `json:"status"`
	Addresses []string `json:"addresses"`
	// TargetHealth says of each target "healthy", "unhealthy" or "unknown".
	TargetHealth map[string]string `json:"target_health"`
	// Doors are the local addresses that really listen, by listener such as "tcp/80".
	Doors map[string]string `json:"doors,omitempty"`
	// Operations are what a change goes on as, none when the answer is final.
	Operations []string `json:"operations,omitempty"`
}

type balancer struct {
	Balancer
	activeAt, goneAt time.Time
	forwarder        *forwarder // nil when balancers carry no traffic
	recorded         map[string]string
}

// Balancers returns all balancers.
func (w *World) Balancers() []Balancer {
	defer w.lock()()
	return w.listBalancers("", nil)
}

func (w *World) listBalancers(name string, labels map[string]string) []Balancer {
	list := []Balancer{}
	for _, b := range w.balancers {
		if (name == "" || b.Name == name) && hasLabels(b.Labels, labels) {
			list = append(list, b.show())
		}
	}
	return list
}

func hasLabels(have, want map[string]string) bool {
	for key, value := range want {
		if got, ok := have[key]; !ok || got != value {
			return false
		}
	}
	return true
}

func (b *balancer) show() Balancer {
	shown := b.Balancer
	shown.TargetHealth = map[string]string{}
	for _, id := range b.Targets {
		shown.TargetHealth[id] = HealthUnknown
		if health, ok := b.recorded[id]; ok {
			shown.TargetHealth[id] = health
		}
	}
	b.forwarder.report(&shown)
	return shown
}

func (w *World) balancer(id string) (*balancer, error) {
	for _, b := range w.balancers {
		if b.ID == id {
			return b, nil
		}
	}
	return nil, notFound("balancer", id)
}

func (w *World) createBalancer(c call, spec BalancerSpec) (Balancer, error) {
	if err := (checker{w}).balancerSpec(&spec, ""); err != nil {
		return Balancer{}, err
	}
	if limit := w.settings.Quota.Balancers; limit > 0 && len(w.balancers) >= limit {
		return Balancer{}, overQuota("balancers", limit)
	}
	b := &balancer{
		Balancer: Balancer{ID: w.newID("lb"), BalancerSpec: spec, Status: StatusPending},
		activeAt: time.Now().Add(time.Duration(w.settings.ActivateAfter)),
		recorded: map[string]string{},
	}
	w.balancers = append(w.balancers, b)
	operations := w.job(c, b.ID, func() {
		b.Addresses = w.balancerAddresses(spec)
		if w.options.Forward {
			b.forwarder = newForwarder(b.Addresses[0])
		}
		w.forward(b)
	}, func() { w.dropBalancer(b) })
	w.advance(time.Now())
	return b.goesOn(operations), nil
}

// goesOn returns the balancer as the answer to a change.
func (b *balancer) goesOn(operations []string) Balancer {
	shown := b.show()
	shown.Operations = operations
	return shown
}

func (w *World) dropBalancer(gone *balancer) {
	w.balancers = slices.DeleteFunc(w.balancers, func(b *balancer) bool { return b == gone })
}

// balancerAddresses gives a new balancer its addresses: with forwarding a loopback address
// of its own, otherwise one that can't be mistaken for a real one (RFC 2544, RFC 3849).
func (w *World) balancerAddresses(spec BalancerSpec) []string {
	base := "198.19.0.0"
	switch {
	case w.options.Forward:
		base = "127.77.0.0"
	case spec.Internal:
		base = "10.255.0.0"
	}
	w.last["address"]++
	addresses := []string{numbered(base, w.last["address"])}
	if spec.DualStack {
		addresses = append(addresses, numbered6("2001:db8::", w.last["address"]))
	}
	return addresses
}

func (w *World) updateBalancer(c call, id string, spec BalancerSpec) (Balancer, error) {
	b, err := w.balancer(id)
	if err != nil {
		return Balancer{}, err
	}
	if b.Status == StatusPending || b.Status == StatusDeleting {
		return Balancer{}, conflict("%s is %s", id, b.Status)
	}
	if err := w.jobs.free(id); err != nil {
		return Balancer{}, err
	}
	if err := (checker{w}).balancerSpec(&spec, id); err != nil {
		return Balancer{}, err
	}
	if spec.Internal != b.Internal {
		return Balancer{}, invalid("internal can't be changed")
	}
	if spec.DualStack != b.DualStack {
		return Balancer{}, invalid("dual_stack can't be changed")
	}
	operations := w.job(c, id, func() {
		b.BalancerSpec = spec
		w.forward(b)
	}, nil)
	return b.goesOn(operations), nil
}

// deleteBalancer returns what is left to be seen of the balancer, nil when it is gone.
func (w *World) deleteBalancer(c call, id string) (*Balancer, error) {
	b, err := w.balancer(id)
	if err == nil && b.Status != StatusDeleting {
		err = w.jobs.free(id)
	}
	if err != nil {
		return nil, err
	}
	var operations []string
	if b.Status != StatusDeleting {
		operations = w.job(c, id, func() {
			b.Status = StatusDeleting
			b.goneAt = time.Now().Add(time.Duration(w.settings.DeleteAfter))
			b.forwarder.close()
		}, nil)
		w.advance(time.Now())
	}
	if !slices.Contains(w.balancers, b) {
		return nil, nil
	}
	shown := b.goesOn(operations)
	return &shown, nil
}

// EditBalancer changes a balancer as its owner would by hand, without any check. Nothing
// is counted.
func (w *World) EditBalancer(id string, edit func(*Balancer)) error {
	defer w.lock()()
	b, err := w.balancer(id)
	if err != nil {
		return err
	}
	edit(&b.Balancer)
	w.forward(b)
	return nil
}

// RecordHealth says what a health check found; forwarding balancers find out themselves.
func (w *World) RecordHealth(id, machine, health string) error {
	defer w.lock()()
	b, err := w.balancer(id)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{HealthHealthy, HealthUnhealthy, HealthUnknown}, health) {
		return invalid("health %q is none of healthy, unhealthy, unknown", health)
	}
	if !slices.Contains(b.Targets, machine) {
		return invalid("%s is no target of %s", machine, id)
	}
	b.recorded[machine] = health
	return nil
}

// forward tells the forwarder of a balancer what it has to do now.
func (w *World) forward(b *balancer) {
	if b.forwarder == nil {
		return
	}
	backends := map[string]string{}
	for _, m := range w.machines {
		if slices.Contains(b.Targets, m.ID) && m.ipv4() != "" {
			backends[m.ID] = m.ipv4()
		}
	}
	b.forwarder.apply(b.BalancerSpec, backends)
}

func (w *World) forwardAll() {
	for _, b := range w.balancers {
		w.forward(b)
	}
}
