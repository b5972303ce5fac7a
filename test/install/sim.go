package install

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
)

// simDrain is how long flows to a removed target go on.
const simDrain = 10 * time.Second

// simOwner reads the labels of balancers that say whose they are.
const simOwner = cloud.OwnershipLabels("ccm-")

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
	if s.server, err = s.Start(doorway(c)); err != nil {
		return nil, err
	}
	s.url = named(c, s.server.URL)
	return s, nil
}

// Descriptor implements [Cloud].
func (s *Sim) Descriptor() cloud.Descriptor { return sim.Descriptor() }

// Arguments implements [Cloud].
func (s *Sim) Arguments() []string { return arguments("sim", "sim.endpoint="+s.url) }

// LoadBalancers implements [Cloud].
func (s *Sim) LoadBalancers() (list []LoadBalancer) {
	machines := map[string]api.Machine{}
	for _, m := range s.State().Machines {
		machines[m.ID] = m
	}
	for _, b := range s.Balancers() {
		targets, known := map[string]string{}, health{}
		for _, id := range b.Targets {
			m := machines[id]
			targets[m.Name], known[m.Name] = m.IPv4(), b.TargetHealth[id]
		}
		balancer := LoadBalancer{ID: b.ID, ServiceUID: simOwner.Owner(b.Labels).UID, Active: b.Status == api.StatusActive, Healthy: known.healthy()}
		for _, at := range b.Addresses {
			for _, l := range b.Listeners {
				balancer.Listeners = append(balancer.Listeners, plane.Listener{
					Address: netip.MustParseAddr(at), Protocol: l.Protocol, Port: l.Port, NodePort: l.NodePort, Targets: known.targets(targets),
					Sources: prefixes(b.AllowedSources), Affinity: b.Algorithm == api.SourceAddress, Drain: simDrain,
				})
			}
		}
		list = append(list, balancer)
		_ = s.EditBalancer(b.ID, func(*api.Balancer) {}) // it probes at once; meanwhile it may have gone
	}
	return list
}

func prefixes(texts []string) (list []netip.Prefix) {
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}

// Calls implements [Cloud].
func (s *Sim) Calls() (calls Calls) {
	for operation, n := range s.Counters().Operations {
		switch operation {
		case "listBalancers", "getBalancer", "listOperations":
			calls.Reads += n
		case "createBalancer", "updateBalancer", "deleteBalancer":
			calls.Writes += n
		}
	}
	return calls
}

// DeleteMachine implements [Cloud].
func (s *Sim) DeleteMachine(node string) error { return s.RemoveMachine(s.Machines[node].ID) }

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
