package hcloud

import (
	"net/http"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud/robot"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

const (
	apiRoot      = "/v1"
	metadataRoot = "/hetzner/v1/metadata"
	// defaultProject is the project of Options.Token.
	defaultProject = "default"
)

// Server is the emulator. Make it with New; all methods are safe for concurrent use.
type Server struct {
	*front.Front
	*Project

	// Robot is the web service of dedicated servers, on its own address.
	Robot *robot.Server

	options Options

	mu            sync.Mutex
	projects      map[string]*Project
	balancerTypes store[*BalancerType]
	tokens        map[string]access
	serials       map[string]int64 // by kind: ids are unique over all projects
	actions       map[int64]*action
	busy          map[resource]*action
	faults        []*ActionFault
	self          int64 // the server that the metadata service speaks for
}

// access is what a token may do.
type access struct {
	project  *Project
	readOnly bool
}

// New makes a server that knows one token and has no machines. It does not listen yet.
func New(options Options) *Server {
	s := &Server{options: options.withDefaults()}
	s.Robot = robot.New(s.options.Robot)
	mux := s.routes()
	s.Front = front.New(front.Vendor{
		API:      mux,
		Route:    func(r *http.Request) string { return wire.Route(mux, r) },
		QuotaKey: s.quotaKey,
		Refuse:   refuse,
		State:    func() any { return s.states() },
		Reset:    s.reset,
	})
	s.Quota.Now, s.Quota.Gradual = s.options.Now, true
	s.SetQuota(s.options.Quota)
	s.SetLatency(s.options.Latency)
	s.adminRoutes(s.Admin())
	s.reset()
	return s
}

// Start makes a server that listens, as its Robot does, on free ports of the loopback address.
func Start(options Options) (*Server, error) {
	s := New(options)
	if _, err := s.Listen("127.0.0.1:0"); err != nil {
		return nil, err
	}
	if _, err := s.Robot.Listen("127.0.0.1:0"); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Endpoint is the base URL of the API: what HCLOUD_ENDPOINT is set to.
func (s *Server) Endpoint() string { return s.URL() + apiRoot }

// MetadataEndpoint is the base URL of the metadata service.
func (s *Server) MetadataEndpoint() string { return s.URL() + metadataRoot }

// Close stops listening, Robot too, drops hanging requests and stops all timers.
func (s *Server) Close() {
	s.Front.Close()
	s.Robot.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopTimers()
}

// reset empties all projects. Projects and tokens stay.
func (s *Server) reset() {
	s.Robot.Clear()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopTimers()
	s.serials = map[string]int64{}
	s.balancerTypes = newBalancerTypes()
	s.actions, s.busy, s.faults, s.self = map[int64]*action{}, map[resource]*action{}, nil, 0
	if s.projects == nil {
		s.projects, s.tokens = map[string]*Project{}, map[string]access{}
		s.Project = s.project(defaultProject)
		s.tokens[s.options.Token] = access{project: s.Project}
	}
	for _, p := range s.projects {
		p.clear()
	}
}

// change runs f with the lock and announces the change.
func (s *Server) change(f func()) {
	s.mu.Lock()
	f()
	s.mu.Unlock()
	s.Announce()
}

// firstIDs are the first ids of each kind.
var firstIDs = map[string]int64{
	"server": 50_000_001, "network": 4_000_001, "load_balancer": 3_000_001, "certificate": 1_500_001,
	"action": 900_000_001, "primary_ip": 70_000_001, "correlation": 1,
}

// newID returns the id of a new resource.
func (s *Server) newID(kind string) int64 {
	if s.serials[kind] == 0 {
		s.serials[kind] = firstIDs[kind] - 1
	}
	s.serials[kind]++
	return s.serials[kind]
}

// now is the time as the API writes it: whole seconds in UTC.
func (s *Server) now() time.Time { return s.options.Now().UTC().Truncate(time.Second) }
