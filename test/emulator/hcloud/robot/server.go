// Package robot emulates the calls of Hetzner's Robot web service that are about dedicated servers:
// the list, one server, its reset state. It has basic authentication, blocks an address after wrong
// logins, and limits requests per call and hour, all as the vendor's description says.
package robot

import (
	"cmp"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// The published limits of requests an hour: of the list and of single servers each, and of the reset
// state.
const (
	PublishedServerLimit = 200
	PublishedResetLimit  = 500
)

// maxFailures wrong logins block an address for blockTime.
const (
	maxFailures = 3
	blockTime   = 10 * time.Minute
)

// firstNumber is that of the first seeded server.
const firstNumber = 2_000_001

// Options are the settings of a Server. The zero value works.
type Options struct {
	// User and Password are the login; "robot-user" and "robot-password" when empty.
	User, Password string
	// ServerLimit and ResetLimit are requests an hour; off when 0. See the published ones.
	ServerLimit, ResetLimit int
	// Latency is added to every request.
	Latency time.Duration
	// Now is the clock of limits and blocks; time.Now when nil.
	Now func() time.Time
}

// Server is the emulator. Make it with New; all methods are safe for concurrent use.
type Server struct {
	*front.Front

	options Options

	mu       sync.Mutex
	limits   map[string]*rate.Limiter // by kind of call
	machines []Machine
	next     int64
	failures map[string]int       // wrong logins by address
	blocked  map[string]time.Time // until when, by address
}

// New makes a server without machines. It does not listen yet.
func New(options Options) *Server {
	s := &Server{options: options}
	s.options.User, s.options.Password = cmp.Or(options.User, "robot-user"), cmp.Or(options.Password, "robot-password")
	if s.options.Now == nil {
		s.options.Now = time.Now
	}
	mux := s.routes()
	s.Front = front.New(front.Vendor{
		API:      mux,
		Route:    func(r *http.Request) string { return wire.Route(mux, r) },
		QuotaKey: func(*http.Request) string { return "" }, // the limits are per call
		Refuse:   refuse,
		State:    func() any { return s.Machines() },
		Reset:    s.Clear,
	})
	s.SetLatency(options.Latency)
	s.Clear()
	return s
}

// Clear takes all servers and blocks away, and lets all limits begin anew.
func (s *Server) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.machines, s.next = nil, firstNumber
	s.failures, s.blocked = map[string]int{}, map[string]time.Time{}
	s.setLimits(s.options.ServerLimit, s.options.ResetLimit)
}

// SetLimits changes the limits of requests an hour; 0 is none. What was counted is forgotten.
func (s *Server) SetLimits(servers, resets int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setLimits(servers, resets)
}

func (s *Server) setLimits(servers, resets int) {
	s.limits = map[string]*rate.Limiter{}
	for kind, n := range map[string]int{"servers": servers, "server": servers, "reset": resets} {
		s.limits[kind] = &rate.Limiter{Now: s.options.Now}
		s.limits[kind].Set(rate.Quota{Hour: n})
	}
}

// Unblock lets all addresses in again.
func (s *Server) Unblock() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures, s.blocked = map[string]int{}, map[string]time.Time{}
}

// SetLogin changes user and password.
func (s *Server) SetLogin(user, password string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.User, s.options.Password = user, password
}

// change runs f with the lock and announces the change.
func (s *Server) change(f func()) {
	s.mu.Lock()
	f()
	s.mu.Unlock()
	s.Announce()
}

// admitted checks the login. The third wrong one blocks the address, right logins too.
func (s *Server) admitted(r *http.Request) bool {
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		address = r.RemoteAddr
	}
	now := s.options.Now()
	if now.Before(s.blocked[address]) {
		return false
	}
	user, password, ok := r.BasicAuth()
	if ok && user == s.options.User && password == s.options.Password {
		delete(s.failures, address)
		return true
	}
	if s.failures[address]++; s.failures[address] >= maxFailures {
		delete(s.failures, address)
		s.blocked[address] = now.Add(blockTime)
	}
	return false
}
