package toycloud_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/multicloud-ccm/multicloud-ccm/examples/toycloud"
	"github.com/multicloud-ccm/multicloud-ccm/examples/toycloud/api"
)

// toyToken is what requests have to bear.
const toyToken = "secret"

// toy is the cloud itself: its API over HTTP, and nothing behind it.
type toy struct {
	mux *http.ServeMux

	mu            sync.Mutex
	last          int
	machines      []api.Machine
	balancers     []api.Balancer
	listeners     []api.Listener
	fault         *fault
	reads, writes int
}

// newToy returns an empty cloud.
func newToy() *toy {
	s := &toy{mux: http.NewServeMux()}
	for route, handle := range map[string]func(*http.Request) (any, error){
		"GET /v1/account":           func(*http.Request) (any, error) { return api.Account{ID: "toy-account"}, nil },
		"GET /v1/machines":          s.listMachines,
		"GET /v1/machines/{id}":     s.getMachine,
		"GET /v1/balancers":         s.listBalancers,
		"GET /v1/balancers/{id}":    s.getBalancer,
		"POST /v1/balancers":        s.createBalancer,
		"PATCH /v1/balancers/{id}":  s.updateBalancer,
		"DELETE /v1/balancers/{id}": s.deleteBalancer,
		"GET /v1/listeners":         s.listListeners,
		"POST /v1/listeners":        s.createListener,
		"PATCH /v1/listeners/{id}":  s.updateListener,
		"DELETE /v1/listeners/{id}": s.deleteListener,
	} {
		s.mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) { s.serve(handle, w, r) })
	}
	return s
}

// ServeHTTP implements http.Handler.
func (s *toy) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// serve does what the request and a fault say.
func (s *toy) serve(handle func(*http.Request) (any, error), w http.ResponseWriter, r *http.Request) {
	fault := s.count(r)
	if fault.instead(w, r) {
		return
	}
	s.mu.Lock()
	var body any
	err := error(refuse(http.StatusUnauthorized, "unauthorized", "the token is wrong"))
	if r.Header.Get("Authorization") == "Bearer "+toyToken {
		body, err = handle(r)
	}
	s.mu.Unlock()
	fault.afterwards(w, body)
	answer(w, body, err)
}

func answer(w http.ResponseWriter, body any, err error) {
	status := http.StatusOK
	if err != nil {
		failure := err.(*api.Failure) //nolint:errorlint // handlers return nothing else
		status, body = failure.Status, failure
	}
	if body == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may have gone
}

func refuse(status int, code, format string, args ...any) *api.Failure {
	return &api.Failure{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

func notFound(id string) error {
	return refuse(http.StatusNotFound, api.CodeNotFound, "there is no %q", id)
}

func invalid(format string, args ...any) error {
	return refuse(http.StatusUnprocessableEntity, "invalid", format, args...)
}

func (s *toy) newID(prefix string) string {
	s.last++
	return fmt.Sprintf("%s-%d", prefix, s.last)
}

func (s *toy) listMachines(r *http.Request) (any, error) {
	query := r.URL.Query()
	after, _ := strconv.Atoi(query.Get("after"))
	list := api.MachineList{Machines: []api.Machine{}}
	for i, m := range s.machines[min(after, len(s.machines)):] {
		switch name := query.Get("name"); {
		case name != "" && m.Name != name:
		case len(list.Machines) == toycloud.Descriptor().Limits.PageSize:
			list.Next = strconv.Itoa(after + i)
			return list, nil
		default:
			list.Machines = append(list.Machines, m)
		}
	}
	return list, nil
}

func (s *toy) getMachine(r *http.Request) (any, error) {
	for _, m := range s.machines {
		if m.ID == r.PathValue("id") {
			return m, nil
		}
	}
	return nil, notFound(r.PathValue("id"))
}

func (s *toy) listBalancers(r *http.Request) (any, error) {
	list := api.BalancerList{Balancers: []api.Balancer{}}
	for _, b := range s.balancers {
		if !slices.ContainsFunc(r.URL.Query()["label"], func(label string) bool {
			key, value, _ := strings.Cut(label, "=")
			return b.Labels[key] != value
		}) {
			list.Balancers = append(list.Balancers, b)
		}
	}
	return list, nil
}

func (s *toy) balancer(id string) (*api.Balancer, error) {
	for i, b := range s.balancers {
		if b.ID == id {
			return &s.balancers[i], nil
		}
	}
	return nil, notFound(id)
}

// idle returns a balancer that takes a change.
func (s *toy) idle(id string) (*api.Balancer, error) {
	b, err := s.balancer(id)
	if err == nil && b.Status != "active" {
		err = refuse(http.StatusConflict, "busy", "%s is %s", id, b.Status)
	}
	return b, err
}

func (s *toy) getBalancer(r *http.Request) (any, error) {
	b, err := s.balancer(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return *b, nil
}

func (s *toy) createBalancer(r *http.Request) (any, error) {
	b := api.Balancer{Labels: map[string]string{}, Targets: []string{}}
	if err := decode(r, &b); err != nil {
		return nil, err
	}
	if err := s.check(b); err != nil {
		return nil, err
	}
	b.ID, b.Status = s.newID("lb"), "busy"
	b.Address = fmt.Sprintf("198.18.0.%d", s.last)
	s.balancers = append(s.balancers, b)
	return b, nil
}

func (s *toy) check(b api.Balancer) error {
	for _, target := range b.Targets {
		if !slices.ContainsFunc(s.machines, func(m api.Machine) bool { return m.ID == target }) {
			return invalid("targets: there is no machine %q", target)
		}
	}
	return nil
}

func (s *toy) updateBalancer(r *http.Request) (any, error) {
	b, err := s.idle(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	changed := *b
	changed.Targets, changed.Labels = nil, nil // decoding would add to them
	if err := decode(r, &changed); err != nil {
		return nil, err
	}
	if changed.Targets == nil {
		changed.Targets = b.Targets
	}
	if changed.Labels == nil {
		changed.Labels = b.Labels
	}
	if changed.Internal != b.Internal || changed.ID != b.ID {
		return nil, invalid("id and internal can't be changed")
	}
	if err := s.check(changed); err != nil {
		return nil, err
	}
	changed.Status = "busy"
	*b = changed
	return changed, nil
}

func (s *toy) deleteBalancer(r *http.Request) (any, error) {
	b, err := s.idle(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	if len(s.listenersOf(b.ID)) > 0 {
		return nil, refuse(http.StatusConflict, "in_use", "%s has listeners", b.ID)
	}
	s.balancers = slices.DeleteFunc(s.balancers, func(other api.Balancer) bool { return other.ID == r.PathValue("id") })
	return nil, nil
}

func (s *toy) listenersOf(balancer string) []api.Listener {
	list := []api.Listener{}
	for _, l := range s.listeners {
		if l.BalancerID == balancer {
			list = append(list, l)
		}
	}
	return list
}

func (s *toy) listListeners(r *http.Request) (any, error) {
	return api.ListenerList{Listeners: s.listenersOf(r.URL.Query().Get("balancer_id"))}, nil
}

func (s *toy) createListener(r *http.Request) (any, error) {
	var l api.Listener
	if err := decode(r, &l); err != nil {
		return nil, err
	}
	b, err := s.idle(l.BalancerID)
	switch {
	case err != nil:
		return nil, err
	case l.Protocol != "tcp" && l.Protocol != "udp":
		return nil, invalid("protocol %q is none of tcp, udp", l.Protocol)
	case slices.ContainsFunc(s.listenersOf(b.ID), func(other api.Listener) bool { return other.Port == l.Port }):
		return nil, refuse(http.StatusConflict, "in_use", "%s has a listener at port %d", b.ID, l.Port)
	}
	l.ID, b.Status = s.newID("ls"), "busy"
	s.listeners = append(s.listeners, l)
	return l, nil
}

// listener returns a listener whose balancer takes a change.
func (s *toy) listener(id string) (*api.Listener, *api.Balancer, error) {
	for i, l := range s.listeners {
		if l.ID == id {
			b, err := s.idle(l.BalancerID)
			return &s.listeners[i], b, err
		}
	}
	return nil, nil, notFound(id)
}

func (s *toy) updateListener(r *http.Request) (any, error) {
	l, b, err := s.listener(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	changed := *l
	if err := decode(r, &changed); err != nil {
		return nil, err
	}
	if l.TargetPort = changed.TargetPort; changed != *l {
		return nil, invalid("only target_port can be changed")
	}
	b.Status = "busy"
	return changed, nil
}

func (s *toy) deleteListener(r *http.Request) (any, error) {
	l, b, err := s.listener(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	id := l.ID
	s.listeners = slices.DeleteFunc(s.listeners, func(other api.Listener) bool { return other.ID == id })
	b.Status = "busy"
	return nil, nil
}

func decode(r *http.Request, into any) error {
	decoder := json.NewDecoder(io.LimitReader(r.Body, 1<<20))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return invalid("body: %v", err)
	}
	return nil
}
