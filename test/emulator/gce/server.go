package gce

import (
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/discovery"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/traffic"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// apiRoot is where the API is on every address.
const apiRoot = "/compute/v1/"

// Server is the emulator. Make it with New; all methods are safe for concurrent use.
type Server struct {
	*front.Front

	// Operations are the writes that go on after their answers.
	Operations Operations

	options Options

	mu          sync.Mutex
	store       *store
	held        *store // what lists show while they are held
	unreachable map[string]bool
	rates       map[string]*rate.Limiter
	accounts    map[string]*account
	tokens      map[string]issued
}

// New makes a server with the default project, its zones and the network "default".
func New(options Options) *Server {
	s := &Server{options: options.withDefaults()}
	s.store, s.Operations.server = &store{options: &s.options}, s
	mux := s.routes()
	s.Front = front.New(front.Vendor{
		API:      mux,
		Route:    func(r *http.Request) string { return wire.Route(mux, r) },
		QuotaKey: wire.Bearer,
		Refuse:   refuse,
		State:    func() any { return s.State() },
		Reset:    s.reset,
	})
	s.SetLatency(s.options.Latency)
	s.adminRoutes(s.Admin())
	s.reset()
	return s
}

// reset empties all projects; the default one is made anew.
func (s *Server) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Operations.clear()
	s.store.clear()
	s.held, s.unreachable = nil, map[string]bool{}
	s.accounts, s.tokens = map[string]*account{}, map[string]issued{}
	s.setRates(s.options.Rates)
	s.store.project(s.options.Project)
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

// serve answers one request to the API.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, method string) {
	s.mu.Lock()
	answer, op, err := s.answer(r, method)
	s.mu.Unlock()
	if op != nil {
		answer = s.Operations.wait(r.Context(), op)
	}
	if err == nil {
		answer, err = masked(r, answer)
	}
	if err != nil {
		writeError(w, err)
		return
	}
	wire.JSON(w, http.StatusOK, answer)
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
			return s.Operations.view(earlier), nil, nil
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
	return c.s.Operations.view(op), nil, nil
}

// Close stops listening, drops hanging requests and stops all timers.
func (s *Server) Close() {
	s.Front.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Operations.stopTimers()
}

// change runs f with the lock and announces the change.
func (s *Server) change(f func()) {
	s.mu.Lock()
	f()
	s.mu.Unlock()
	s.Announce()
}

// Project is one project.
type Project struct {
	id, number string
	quotas     map[string]int
}

// firstProject is the number of the default project.
const firstProject = 1_000_000_000_001

// project returns the project of that id, made on first use, with its zones and the network "default".
func (t *store) project(id string) *Project {
	if p, ok := t.projects[id]; ok {
		return p
	}
	p := &Project{id: id, number: strconv.Itoa(firstProject + len(t.projects)), quotas: map[string]int{}}
	for metric, limit := range t.options.Quotas {
		p.quotas[metric] = limit
	}
	t.projects[id] = p
	t.furnish(p)
	return p
}

// projectID turns a project's number into its id.
func (t *store) projectID(id string) string {
	for _, p := range t.projects {
		if p.number == id {
			return p.id
		}
	}
	return id
}
