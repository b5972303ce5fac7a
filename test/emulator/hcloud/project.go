package hcloud

import (
	"context"
	"net/http"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// Project is one project's resources. Several tokens may lead to the same project.
type Project struct {
	server *Server
	name   string

	machines     store[*Machine]
	networks     store[*Network]
	balancers    store[*Balancer]
	certificates store[*Certificate]
	limit        int // of load balancers
}

// In returns the project of that name, made empty on first use.
func (s *Server) In(name string) *Project {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.project(name)
}

func (s *Server) project(name string) *Project {
	p, ok := s.projects[name]
	if !ok {
		p = &Project{server: s, name: name}
		p.clear()
		s.projects[name] = p
	}
	return p
}

// SetToken makes a token valid for a project, which is made when needed: a second token of one
// project, or the token of another one.
func (s *Server) SetToken(token, project string) { s.setToken(token, project, false) }

// SetReadToken makes a token valid for reading a project; writes with it get 403.
func (s *Server) SetReadToken(token, project string) { s.setToken(token, project, true) }

func (s *Server) setToken(token, project string, readOnly bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token] = access{project: s.project(project), readOnly: readOnly}
}

// RevokeToken makes a token invalid: requests with it get 401.
func (s *Server) RevokeToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, token)
}

// quotaKey: a project's tokens share its quota; wrong tokens and the metadata service have none.
func (s *Server) quotaKey(r *http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.tokens[wire.Bearer(r)]
	if !ok || !strings.HasPrefix(r.URL.Path, apiRoot+"/") {
		return ""
	}
	return held.project.name
}

// Await returns nil as soon as holds is true of the project's state, or ctx's cause. It looks after
// every change and every request, without polling.
func (p *Project) Await(ctx context.Context, holds func(State) bool) error {
	return p.server.Until(ctx, func() bool { return holds(p.State()) })
}

// SetBalancerLimit changes how many load balancers the project may have; 0 is no limit.
func (p *Project) SetBalancerLimit(n int) { p.server.change(func() { p.limit = n }) }

func (p *Project) clear() {
	p.machines, p.networks = newStore[*Machine](), newStore[*Network]()
	p.balancers, p.certificates = newStore[*Balancer](), newStore[*Certificate]()
	p.limit = p.server.options.BalancerLimit
}
