package testcloud

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/fault"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/state"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
)

func init() { register("sim", Maker{Missing: nothing, Open: openSim, Facts: (*sim)(nil).Facts}) }

// sim is the simulated cloud, behind the pipeline that all emulators have.
type sim struct {
	*front.Front

	settings state.Settings
	number   int

	mu    sync.Mutex
	world *world.World
}

const simToken = "sim-token-that-must-stay-secret"

func openSim(_ context.Context, o Options) (Cloud, error) {
	s := &sim{settings: state.Settings{ActivateAfter: state.Duration(o.Activation)}}
	s.Front = front.New(front.Vendor{
		API:      http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.now().ServeHTTP(w, r) }),
		Route:    simRoute,
		QuotaKey: func(*http.Request) string { return "account" },
		Refuse:   simRefuse,
		State:    func() any { return s.now().Balancers() },
		Reset:    s.renew,
	})
	s.renew()
	s.SetLatency(o.Latency)
	_, err := s.Listen("127.0.0.1:0")
	return s, err
}

// now is the present world: Clear makes a new one.
func (s *sim) now() *world.World {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.world
}

func (s *sim) renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.world != nil {
		s.world.Close()
	}
	s.world = world.New(world.Options{Token: simToken, Settings: s.settings})
}

// simRoute names what "GET /v1/machines/{id}" is.
func simRoute(r *http.Request) string {
	parts := strings.Split(r.URL.Path, "/")
	if len(parts) > 3 {
		parts = append(parts[:3], "{id}")
	}
	return r.Method + " " + strings.Join(parts, "/")
}

// simRefuse writes the world's refusal for a status.
func simRefuse(w http.ResponseWriter, _ *http.Request, status int) {
	code, ok := map[int]string{
		http.StatusUnauthorized: api.CodeUnauthorized, http.StatusForbidden: api.CodeQuota, http.StatusNotFound: api.CodeNotFound,
		http.StatusConflict: api.CodeConflict, http.StatusUnprocessableEntity: api.CodeInvalid, http.StatusTooManyRequests: api.CodeThrottled,
	}[status]
	if !ok {
		code = api.CodeInternal
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(api.Failure{Code: code, Message: http.StatusText(status)}) // it is buffered
}

func (s *sim) Title() string { return "the simulated cloud" }

func (s *sim) Facts() Facts {
	return Facts{
		Provider: "sim", List: "GET /v1/machines", Page: 100, Create: []string{"POST /v1/balancers"},
		Machines: "/v1/machines", Machine: "/v1/machines/*", All: "/v1/**", AtOnce: 6,
		// A load balancer is read by its id, and looked for in the list, before its deletion and after it.
		DeletionReads: 4,
		Lacks:         map[Ability]string{SecondPage: "its pages begin after an id and have no number"},
	}
}

func (s *sim) Env() map[string]string {
	return map[string]string{"SIM_ENDPOINT": s.URL(), "SIM_TOKEN": simToken}
}

func (s *sim) Args() []string { return nil }

func (s *sim) Secret() string { return simToken }

func (s *sim) Clear(context.Context) error {
	s.Reset()
	s.SetLatency(0)
	s.SetQuota(rate.Quota{})
	return nil
}

// SetOperations implements Operator.
func (s *sim) SetOperations(takes time.Duration) {
	settings := s.settings
	settings.OperationsTake = state.Duration(takes)
	s.now().Set(settings)
}

// FailLate implements Operator.
func (s *sim) FailLate() error {
	_, err := s.now().AddFault(fault.Fault{Operation: "writes", Effect: fault.EffectLate, Times: 1, Code: api.CodeQuota})
	return err
}

// States implements Operator.
func (s *sim) States() (route string, each int) { return "GET /v1/operations", api.MaxOperations }

// Routes implements Router.
func (s *sim) Routes() map[string]string {
	routes := map[string]string{}
	for _, r := range s.now().Routes() {
		routes[r.Destination.String()] = r.Machine
	}
	return routes
}

// RoutesPath implements Router.
func (s *sim) RoutesPath() string { return "/v1/routes" }

func (s *sim) Close() error {
	s.Front.Close()
	s.now().Close()
	return nil
}

func (s *sim) Seed(_ context.Context, n int, like Machine) ([]Machine, error) {
	var all []Machine
	for range n {
		w := s.now()
		m := api.Machine{Name: like.Name, Zone: w.Zones()[s.number%3]}
		if m.Name == "" {
			m.Name = fmt.Sprintf("node-%d", s.number)
		}
		s.number++
		for kind, ip := range map[string]string{api.AddressPrivate: like.Internal, api.AddressPublic: like.External} {
			if ip != "" {
				m.Addresses = append(m.Addresses, api.Address{Kind: kind, IP: ip})
			}
		}
		made, err := w.AddMachine(m)
		if err != nil {
			return nil, err
		}
		all = append(all, simMachine(made))
	}
	return all, nil
}

func simMachine(m api.Machine) Machine {
	out := Machine{ID: m.ID, Name: m.Name, ProviderID: "sim://" + m.Zone + "/" + m.ID, Region: m.Region, Zone: m.Zone}
	for _, a := range m.Addresses {
		if a.Kind == api.AddressPrivate {
			out.Internal = a.IP
		} else {
			out.External = a.IP
		}
	}
	return out
}

func (s *sim) Stop(_ context.Context, m Machine) error { return s.now().StopMachine(m.ID) }

func (s *sim) Start(_ context.Context, m Machine) error { return s.now().StartMachine(m.ID) }

func (s *sim) Remove(_ context.Context, all ...Machine) error {
	for _, m := range all {
		if err := s.now().RemoveMachine(m.ID); err != nil {
			return err
		}
	}
	return nil
}

func (s *sim) Rename(_ context.Context, m Machine, name string) error {
	_, err := s.now().EditMachine(api.Machine{ID: m.ID, Name: name, Zone: m.Zone, Addresses: []api.Address{
		{Kind: api.AddressPrivate, IP: m.Internal}, {Kind: api.AddressPublic, IP: m.External},
	}})
	return err
}

func (s *sim) Balancers(context.Context) ([]Balancer, error) {
	var all []Balancer
	for _, b := range s.now().Balancers() {
		one := Balancer{ID: b.ID, Name: b.Name, Active: b.Status == api.StatusActive, Addresses: b.Addresses, Targets: slices.Sorted(slices.Values(b.Targets))}
		for _, l := range b.Listeners {
			one.Listeners = append(one.Listeners, fmt.Sprintf("%s/%d", l.Protocol, l.Port))
		}
		slices.Sort(one.Listeners)
		all = append(all, one)
	}
	return all, nil
}
