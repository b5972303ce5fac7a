package digitalocean

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/watch"
)

// defaultAccount is the account of Options.Token.
const defaultAccount = "default"

// Server is the emulator. Make it with New; all methods are safe for concurrent use.
type Server struct {
	*Account

	options Options
	front   *front.Front
	signal  watch.Signal

	mu       sync.Mutex
	accounts map[string]*Account
	tokens   map[string]*Account
	serials  struct{ resource, request, address int }
	listener *http.Server
}

// New makes a server that knows one token and has no droplets.
func New(options Options) *Server {
	s := &Server{options: options.withDefaults(), accounts: map[string]*Account{}, tokens: map[string]*Account{}}
	mux := s.routes()
	s.front = front.New(front.Vendor{
		API:      mux,
		Route:    func(r *http.Request) string { return route(mux, r) },
		QuotaKey: s.quotaKey,
		Refuse:   refuse,
		State:    func() any { return s.states() },
		Reset:    s.reset,
	}, &s.signal)
	s.front.Quota.Now = s.options.Now
	s.front.Quota.Set(s.options.Quota)
	s.front.SetLatency(s.options.Latency)
	s.adminRoutes(s.front.Admin())
	s.Account = s.In(defaultAccount)
	s.SetToken(s.options.Token, defaultAccount)
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.front.ServeHTTP(w, r) }

// Listen serves on a TCP address such as "127.0.0.1:0" in the background and
// returns the base URL. Call Close to stop.
func (s *Server) Listen(addr string) (string, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", fmt.Errorf("listening on %s: %w", addr, err)
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener != nil {
		return "", errors.Join(errors.New("the emulator listens already"), listener.Close())
	}
	s.listener = server
	go func() { _ = server.Serve(listener) }() // ends with http.ErrServerClosed after Close
	return "http://" + listener.Addr().String(), nil
}

// Close stops listening, drops hanging requests and stops all timers.
func (s *Server) Close() {
	s.front.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, account := range s.accounts {
		account.stopTimers()
	}
	if s.listener != nil {
		_ = s.listener.Close() // a test server: nothing to save
	}
}

// AddFault puts a fault in force and returns its id. It panics when the fault
// can't have been meant, see fault.Fault.Validate.
func (s *Server) AddFault(f fault.Fault) string {
	id, err := s.front.Faults.Add(f)
	if err != nil {
		panic(err)
	}
	return id
}

// RemoveFault takes a fault away and says whether it was there.
func (s *Server) RemoveFault(id string) bool { return s.front.Faults.Remove(id) }

// ClearFaults takes all faults away.
func (s *Server) ClearFaults() { s.front.Faults.Clear() }

// Faults lists the faults with how often each one hit.
func (s *Server) Faults() []fault.Active { return s.front.Faults.List() }

// SetLatency makes every API request take at least d.
func (s *Server) SetLatency(d time.Duration) { s.front.SetLatency(d) }

// SetQuota changes the request quota; the zero value switches it off.
func (s *Server) SetQuota(q rate.Quota) { s.front.Quota.Set(q) }

// Arm puts a halt hook in force; see package halt.
func (s *Server) Arm(hook halt.Hook) { s.front.Arm(hook) }

// HaltAt arms a trigger. It panics when the trigger can't have been meant.
func (s *Server) HaltAt(t halt.Trigger) {
	if err := s.front.ArmTrigger(t); err != nil {
		panic(err)
	}
}

// Disarm takes the halt hook away and drops the connections that hang.
func (s *Server) Disarm() { s.front.Disarm() }

// HaltedAt returns where the trigger of HaltAt fired, or nil.
func (s *Server) HaltedAt() *halt.Event { return s.front.HaltedAt() }

// Counters returns the counters per route.
func (s *Server) Counters() traffic.Counters { return s.front.Book.Counters() }

// Requests returns the request log, oldest first.
func (s *Server) Requests() []traffic.Request { return s.front.Book.Requests() }

// ResetTraffic empties counters and request log.
func (s *Server) ResetTraffic() { s.front.Book.Reset() }

// Reset empties all accounts, faults, halts, counters and the log. Tokens,
// latency and quota stay.
func (s *Server) Reset() { s.front.Reset() }

// Until returns nil as soon as holds is true, or ctx's cause. It looks after
// every change and every request, without polling; holds may use all methods
// of the Server.
func (s *Server) Until(ctx context.Context, holds func() bool) error {
	return s.signal.Until(ctx, holds)
}
