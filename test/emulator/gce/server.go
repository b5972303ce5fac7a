package gce

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/discovery"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/watch"
)

// apiRoot is where the API is on every address.
const apiRoot = "/compute/v1/"

// Server is the emulator. Make it with New; all methods are safe for concurrent use.
type Server struct {
	options Options
	front   *front.Front
	signal  watch.Signal

	mu              sync.Mutex
	projects        map[string]*Project
	store           *store
	held            *store // what lists show while they are held
	unreachable     map[string]bool
	operations      map[string]*operation
	requests        map[string]*operation // by request id
	busy            map[string]*operation // by the path of their object
	operationFaults []*OperationFault
	rates           map[string]*rate.Limiter
	accounts        map[string]*account
	tokens          map[string]issued
	serial          int
	url             string
	listener        *http.Server
}

// New makes a server with the default project, its zones and the network "default".
func New(options Options) *Server {
	s := &Server{options: options.withDefaults(), url: "http://metadata.google.internal"}
	mux := s.routes()
	s.front = front.New(front.Vendor{
		API:      mux,
		Route:    func(r *http.Request) string { return route(mux, r) },
		QuotaKey: token,
		Refuse:   refuse,
		State:    func() any { return s.State() },
		Reset:    s.reset,
	}, &s.signal)
	s.front.SetLatency(s.options.Latency)
	s.adminRoutes(s.front.Admin())
	s.reset()
	return s
}

// reset empties all projects; the default one is made anew.
func (s *Server) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopTimers()
	s.projects, s.store, s.held, s.unreachable = map[string]*Project{}, newStore(), nil, map[string]bool{}
	s.operations, s.requests, s.busy, s.operationFaults = map[string]*operation{}, map[string]*operation{}, map[string]*operation{}, nil
	s.accounts, s.tokens = map[string]*account{}, map[string]issued{}
	s.setRates(s.options.Rates)
	s.project(s.options.Project)
	admin := s.addAccount("admin@" + s.options.Project + ".iam.gserviceaccount.com")
	admin.all = true
	s.tokens[s.options.Token] = issued{account: admin}
}

// routes makes one route of each method that is emulated.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for name, m := range discovery.Load().Methods {
		mux.HandleFunc(m.HTTPMethod+" "+apiRoot+m.Path, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, name) })
	}
	s.tokenRoutes(mux)
	s.metadataRoutes(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Metadata-Flavor", "Google") // how clients find out that they are on a VM
		if r.URL.Path != "/" {
			writeError(w, &problem{status: http.StatusNotFound, reason: "notFound", message: "The emulator does not have " + r.Method + " " + r.URL.Path})
		}
	})
	return mux
}

// route names the route of a request; "GET /" stands for all unknown paths.
func route(mux *http.ServeMux, r *http.Request) string {
	_, pattern := mux.Handler(r)
	if pattern == "/" || pattern == "" {
		return r.Method + " /"
	}
	return pattern
}

// serve answers one request to the API.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, method string) {
	s.mu.Lock()
	answer, op, err := s.answer(r, method)
	s.mu.Unlock()
	if op != nil {
		answer = s.waitOperation(r.Context(), op)
	}
	if err == nil {
		answer, err = masked(r, answer)
	}
	if err != nil {
		writeError(w, err)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

// masked keeps the fields that the request asks for.
func masked(r *http.Request, answer any) (any, error) {
	text := r.URL.Query().Get("fields")
	if text == "" {
		return answer, nil
	}
	m, err := parseMask(text)
	if err != nil {
		return nil, broken("common/fields", "Invalid field selection %s: %v", text, err)
	}
	return m.apply(normal(answer)), nil
}

// answer handles a request with the lock held; op is the operation to wait for without it.
func (s *Server) answer(r *http.Request, method string) (any, *operation, error) {
	if err := s.admit(r, method); err != nil {
		return nil, nil, err
	}
	c, err := s.newCall(method, r)
	if err != nil {
		return nil, nil, err
	}
	if strings.HasSuffix(method, "Operations."+c.verb) {
		return c.operation()
	}
	if traffic.Mutating(r.Method) {
		earlier, err := c.repeated()
		if err != nil {
			return nil, nil, err
		}
		if earlier != nil {
			return s.operationView(earlier), nil, nil
		}
	}
	handle := special[method]
	if handle == nil {
		handle = generic[c.verb]
	}
	answer, err := handle(c)
	return answer, nil, err
}

// operation answers the methods of operations.
func (c *call) operation() (any, *operation, error) {
	switch c.verb {
	case "list":
		answer, err := c.listOperations()
		return answer, nil, err
	case "wait":
		op, err := c.operationOf()
		return nil, op, err
	}
	op, err := c.operationOf()
	if err != nil {
		return nil, nil, err
	}
	return c.s.operationView(op), nil, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.front.ServeHTTP(w, r) }

// Listen serves on a TCP address such as "127.0.0.1:0" in the background and returns the base URL.
// Call Close to stop.
func (s *Server) Listen(addr string) (string, error) { return s.listen(addr, "", "") }

// ListenTLS is Listen with the certificate and key of two files.
func (s *Server) ListenTLS(addr, certificate, key string) (string, error) {
	return s.listen(addr, certificate, key)
}

func (s *Server) listen(addr, certificate, key string) (string, error) {
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
	if certificate == "" {
		s.url = "http://" + listener.Addr().String()
		go func() { _ = server.Serve(listener) }() // ends with http.ErrServerClosed after Close
		return s.url, nil
	}
	s.url = "https://" + listener.Addr().String()
	go func() { _ = server.ServeTLS(listener, certificate, key) }() // ends after Close; a bad certificate shows at the first request
	return s.url, nil
}

// Close stops listening, drops hanging requests and stops all timers.
func (s *Server) Close() {
	s.front.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopTimers()
	if s.listener != nil {
		_ = s.listener.Close() // a test server: nothing to save
	}
}

func (s *Server) stopTimers() {
	for _, op := range s.operations {
		if op.timer != nil {
			op.timer.Stop()
		}
	}
}

// change runs f with the lock and announces the change.
func (s *Server) change(f func()) {
	s.mu.Lock()
	f()
	s.mu.Unlock()
	s.signal.Announce()
}

// AddFault puts a fault in force and returns its id. It panics when the fault can't have been
// meant, see fault.Fault.Validate.
func (s *Server) AddFault(f fault.Fault) string {
	id, err := s.front.Faults.Add(f)
	if err != nil {
		panic(err)
	}
	return id
}

// ClearFaults takes all faults away.
func (s *Server) ClearFaults() { s.front.Faults.Clear() }

// HaltAt arms a trigger. It panics when the trigger can't have been meant.
func (s *Server) HaltAt(t halt.Trigger) {
	if err := s.front.ArmTrigger(t); err != nil {
		panic(err)
	}
}

// Counters returns the counters per route.
func (s *Server) Counters() traffic.Counters { return s.front.Book.Counters() }

// Requests returns the request log, oldest first.
func (s *Server) Requests() []traffic.Request { return s.front.Book.Requests() }

// ResetTraffic empties counters and request log.
func (s *Server) ResetTraffic() { s.front.Book.Reset() }

// Until returns nil as soon as holds is true, or ctx's cause. It looks after every change and every
// request, without polling; holds may use all methods of the Server.
func (s *Server) Until(ctx context.Context, holds func() bool) error {
	return s.signal.Until(ctx, holds)
}

// Project is one project.
type Project struct {
	id, number string
	quotas     map[string]int
}

// firstProject is the number of the default project.
const firstProject = 1_000_000_000_001

// project returns the project of that id, made on first use, with its zones and the network "default".
func (s *Server) project(id string) *Project {
	if p, ok := s.projects[id]; ok {
		return p
	}
	p := &Project{id: id, number: strconv.Itoa(firstProject + len(s.projects)), quotas: map[string]int{}}
	for metric, limit := range s.options.Quotas {
		p.quotas[metric] = limit
	}
	s.projects[id] = p
	s.furnish(p)
	return p
}

// projectID turns a project's number into its id.
func (s *Server) projectID(id string) string {
	for _, p := range s.projects {
		if p.number == id {
			return p.id
		}
	}
	return id
}
