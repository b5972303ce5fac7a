package digitalocean

import (
	"maps"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// State is everything in one account at one moment. What it points to is
// shared and must not be changed.
type State struct {
	Account      string        `json:"account"`
	Droplets     []*Droplet    `json:"droplets"`
	Balancers    []Balancer    `json:"load_balancers"`
	Certificates []Certificate `json:"certificates"`
	Firewalls    []Firewall    `json:"firewalls"`
	Tags         []string      `json:"tags"`
	VPCs         []VPC         `json:"vpcs"`
}

// Balancer returns the first balancer of that name, or nil.
func (s State) Balancer(name string) *Balancer {
	for i := range s.Balancers {
		if s.Balancers[i].Name == name {
			return &s.Balancers[i]
		}
	}
	return nil
}

// JSON returns the state as indented JSON, for messages of failed tests.
func (s State) JSON() string { return wire.Indented(s) }

// State returns everything in the account.
func (a *Account) State() State {
	a.server.mu.Lock()
	defer a.server.mu.Unlock()
	return a.state()
}

func (a *Account) state() State {
	s := State{
		Account: a.name, Droplets: a.Droplets.state(), Balancers: []Balancer{}, Firewalls: []Firewall{},
		Certificates: append([]Certificate{}, a.Certificates.all...),
		Tags:         append([]string{}, slices.Sorted(maps.Values(a.Tags.names))...),
		VPCs:         append([]VPC{}, a.VPCs.all...),
	}
	for _, b := range a.LoadBalancers.all {
		s.Balancers = append(s.Balancers, b.view())
	}
	for _, f := range a.Firewalls.all {
		s.Firewalls = append(s.Firewalls, f.clone())
	}
	return s
}

// states is the answer of GET /_emulator/state: the accounts by name.
func (s *Server) states() map[string]State {
	s.mu.Lock()
	defer s.mu.Unlock()
	states := make(map[string]State, len(s.accounts))
	for name, account := range s.accounts {
		states[name] = account.state()
	}
	return states
}
