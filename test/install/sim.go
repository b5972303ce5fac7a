package install

import (
	"fmt"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
)

// Sim is the simulated cloud. Its balancers carry traffic.
type Sim struct {
	*world.World
	// Machines are those of the nodes, by name.
	Machines map[string]api.Machine

	server *world.Server
	url    string
}

// OpenSim starts the simulated cloud where nodes can reach it.
func OpenSim(c *cluster.Cluster) (*Sim, error) {
	s := &Sim{World: world.New(world.Options{Forward: true}), Machines: map[string]api.Machine{}}
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
