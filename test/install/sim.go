package install

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
)

// simDrain is how long flows to a removed target go on.
const simDrain = 10 * time.Second

// Sim is the simulated cloud. Its balancers carry TCP as proxies of this process, or everything on the cluster's data plane.
type Sim struct {
	*world.World
	// Machines are those of the nodes, by name.
	Machines map[string]api.Machine

	server *world.Server
	url    string
}

// OpenSim starts the simulated cloud where nodes can reach it.
func OpenSim(c *cluster.Cluster) (*Sim, error) {
	options := world.Options{Forward: true}
	if c.Plane() != nil {
		options = world.Options{Carried: c.BalancerNetwork().Addr()}
	}
	s := &Sim{World: world.New(options), Machines: map[string]api.Machine{}}
	for _, n := range c.Nodes() {
		m, err := s.AddMachine(api.Machine{Name: n.Name(), Addresses: []api.Address{
			{Kind: api.AddressPrivate, IP: n.Address().String()},
		}})
		if err != nil {
			return nil, fmt.Errorf("adding machine %s: %w", n.Name(), err)
		}
		s.Machines[n.Name()] = m
	}
	var err error
	if s.server, err = s.Start(c.Gateway().String() + ":0"); err != nil {
		return nil, err
	}
	s.url, err = named(s.server.URL)
	return s, err
}

// Provider implements [Cloud].
func (s *Sim) Provider() string { return "sim" }

// Arguments implements [Cloud].
func (s *Sim) Arguments() []string { return arguments("sim", "sim.endpoint="+s.url) }

// Door implements [Cloud].
func (s *Sim) Door(address string, port int32) string {
	return s.Balancer(address).Doors[fmt.Sprintf("tcp/%d", port)]
}

// Listeners implements [Cloud].
func (s *Sim) Listeners() (list []plane.Listener) {
	address := map[string]netip.Addr{}
	for _, m := range s.State().Machines {
		address[m.ID], _ = netip.ParseAddr(m.IPv4())
	}
	for _, b := range s.Balancers() {
		if b.Status != api.StatusActive {
			continue
		}
		for _, at := range b.Addresses {
			for _, l := range b.Listeners {
				list = append(list, listener(b, netip.MustParseAddr(at), l, address))
			}
		}
	}
	return list
}

// listener is an open port of a balancer in the words of the data plane. Where all targets are unhealthy or not probed yet, those of which
// nothing is known get traffic.
func listener(b api.Balancer, at netip.Addr, l api.Listener, address map[string]netip.Addr) plane.Listener {
	carried := plane.Listener{
		Address: at, Protocol: l.Protocol, Port: l.Port, NodePort: l.NodePort, Affinity: b.SessionAffinity, Drain: simDrain,
	}
	for _, source := range b.AllowedSources {
		carried.Sources = append(carried.Sources, netip.MustParsePrefix(source))
	}
	good := api.HealthHealthy
	if !slices.Contains(slices.Collect(maps.Values(b.TargetHealth)), good) {
		good = api.HealthUnknown
	}
	for _, id := range b.Targets {
		if address[id].IsValid() {
			carried.Targets = append(carried.Targets, plane.Target{Address: address[id], Healthy: b.TargetHealth[id] == good})
		}
	}
	return carried
}

// Balancer returns the one with an address, or one without an ID.
func (s *Sim) Balancer(address string) api.Balancer {
	for _, b := range s.Balancers() {
		if slices.Contains(b.Addresses, address) {
			return b
		}
	}
	return api.Balancer{}
}

// Close implements [Cloud].
func (s *Sim) Close() { _ = s.server.Close() }
