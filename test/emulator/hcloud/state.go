package hcloud

import (
	"cmp"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// State is everything in one project at one moment. What it points to is shared and must not be changed.
type State struct {
	Project      string        `json:"project"`
	Machines     []Machine     `json:"servers"`
	Networks     []Network     `json:"networks"`
	Balancers    []Balancer    `json:"load_balancers"`
	Certificates []Certificate `json:"certificates"`
	// Running are the commands of actions that have not ended, in the order they began.
	Running []string `json:"running"`
}

// Balancer returns the balancer of that name, or nil.
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

// State returns everything in the project.
func (p *Project) State() State {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	return p.state()
}

func (p *Project) state() State {
	s := State{Project: p.name, Machines: []Machine{}, Networks: []Network{}, Balancers: []Balancer{}, Certificates: []Certificate{}, Running: []string{}}
	for _, m := range p.machines.all {
		s.Machines = append(s.Machines, m.clone())
	}
	for _, n := range p.networks.all {
		s.Networks = append(s.Networks, *n)
	}
	for _, b := range p.balancers.all {
		s.Balancers = append(s.Balancers, p.balancerView(b))
	}
	for _, c := range p.certificates.all {
		s.Certificates = append(s.Certificates, p.certificateView(c))
	}
	var running []*action
	for _, a := range p.server.actions {
		if a.project == p && a.Status == actionRunning {
			running = append(running, a)
		}
	}
	slices.SortFunc(running, func(a, b *action) int { return cmp.Compare(a.ID, b.ID) })
	for _, a := range running {
		s.Running = append(s.Running, a.Command)
	}
	return s
}

// states is the answer of GET /_emulator/state: the projects by name.
func (s *Server) states() map[string]State {
	s.mu.Lock()
	defer s.mu.Unlock()
	states := make(map[string]State, len(s.projects))
	for name, p := range s.projects {
		states[name] = p.state()
	}
	return states
}
