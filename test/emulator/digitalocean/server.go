package digitalocean

import (
	"net/http"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// defaultAccount is the account of Options.Token.
const defaultAccount = "default"

// Server is the emulator. Make it with New; all methods are safe for concurrent use.
type Server struct {
	*front.Front
	*Account

	options Options

	mu       sync.Mutex
	accounts map[string]*Account
	tokens   map[string]*Account
	serials  struct{ resource, request, address int }
}

// New makes a server that knows one token and has no droplets.
func New(options Options) *Server {
	s := &Server{options: options.withDefaults(), accounts: map[string]*Account{}, tokens: map[string]*Account{}}
	mux := s.routes()
	s.Front = front.New(front.Vendor{
		API:      mux,
		Route:    func(r *http.Request) string { return wire.Route(mux, r) },
		QuotaKey: s.quotaKey,
		Refuse:   refuse,
		State:    func() any { return s.states() },
		Reset:    s.reset,
	})
	s.Quota.Now = s.options.Now
	s.SetQuota(s.options.Quota)
	s.SetLatency(s.options.Latency)
	s.adminRoutes(s.Admin())
	s.Account = s.In(defaultAccount)
	s.SetToken(s.options.Token, defaultAccount)
	return s
}

// Close stops listening, drops hanging requests and stops all timers.
func (s *Server) Close() {
	s.Front.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, account := range s.accounts {
		account.LoadBalancers.stopTimers()
	}
}

// RemoveFault takes a fault away and says whether it was there.
func (s *Server) RemoveFault(id string) bool { return s.Front.Faults.Remove(id) }

// Faults lists the faults with how often each one hit.
func (s *Server) Faults() []fault.Active { return s.Front.Faults.List() }
