package digitalocean

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// Account is one team's resources. Several tokens may lead to the same account.
type Account struct {
	server *Server
	name   string
	uuid   string

	Droplets      Droplets
	LoadBalancers LoadBalancers
	Certificates  Certificates
	Firewalls     Firewalls
	Tags          Tags
	VPCs          VPCs

	handlers map[string]handler
}

// In returns the account of that name, made empty on first use.
func (s *Server) In(name string) *Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	account, ok := s.accounts[name]
	if !ok {
		account = s.newAccount(name)
		s.accounts[name] = account
	}
	return account
}

func (s *Server) newAccount(name string) *Account {
	a := &Account{server: s, name: name, uuid: s.newUUID()}
	a.Droplets.account, a.LoadBalancers.account, a.Certificates.account = a, a, a
	a.Firewalls.account, a.Tags.account, a.VPCs.account = a, a, a
	a.handlers = a.routes()
	a.clear()
	return a
}

// SetToken makes a token valid for an account, which is made when needed. Use it
// for wrong-account credentials: a valid token that sees other resources.
func (s *Server) SetToken(token, account string) {
	a := s.In(account)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[token] = a
}

// RevokeToken makes a token invalid: requests with it get 401.
func (s *Server) RevokeToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, token)
}

// Await returns nil as soon as holds is true of the account's state, or ctx's
// cause. It looks after every change and every request, without polling.
func (a *Account) Await(ctx context.Context, holds func(State) bool) error {
	return a.server.Until(ctx, func() bool { return holds(a.State()) })
}

// clear empties the account.
func (a *Account) clear() {
	a.LoadBalancers.stopTimers()
	a.Droplets.clear()
	a.LoadBalancers.all, a.Certificates.all, a.Firewalls.all, a.VPCs.all = nil, nil, nil, nil
	a.LoadBalancers.limit = a.server.options.BalancerLimit
	a.Tags.names = map[string]string{}
}

// change runs f with the server's lock and announces the change.
func (a *Account) change(f func()) {
	a.server.mu.Lock()
	f()
	a.server.mu.Unlock()
	a.server.Announce()
}

func (s *Server) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, account := range s.accounts {
		account.clear()
	}
}

// newUUID returns the id of a new resource; unique per server and reproducible.
func (s *Server) newUUID() string {
	s.serials.resource++
	return fmt.Sprintf("%08x-d0d0-4000-8000-%012x", s.serials.resource, s.serials.resource)
}

// newRequestID returns the id of a request.
func (s *Server) newRequestID() string {
	s.serials.request++
	return fmt.Sprintf("%08x-0000-4000-8000-000000000000", s.serials.request)
}

func (s *Server) timestamp() string {
	return s.options.Now().UTC().Format(time.RFC3339)
}

// quotaKey: every token has its own quota, wrong ones and the metadata service none.
func (s *Server) quotaKey(r *http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	value := wire.Bearer(r)
	if _, ok := s.tokens[value]; !ok || !strings.HasPrefix(r.URL.Path, "/v2/") {
		return ""
	}
	return value
}

type accountView struct {
	DropletLimit    int      `json:"droplet_limit"`
	FloatingIPLimit int      `json:"floating_ip_limit"`
	Email           string   `json:"email"`
	Name            string   `json:"name"`
	UUID            string   `json:"uuid"`
	EmailVerified   bool     `json:"email_verified"`
	Status          string   `json:"status"`
	StatusMessage   string   `json:"status_message"`
	Team            teamView `json:"team"`
}

type teamView struct {
	Name string `json:"name"`
	UUID string `json:"uuid"`
}

func (a *Account) get(*http.Request) (reply, error) {
	view := accountView{
		DropletLimit: 10_000, FloatingIPLimit: 3, Email: a.name + "@example.com", Name: a.name,
		UUID: a.uuid, EmailVerified: true, Status: "active", Team: teamView{Name: a.name, UUID: a.uuid},
	}
	return reply{body: map[string]any{"account": view}}, nil
}
