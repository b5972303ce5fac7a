package world

import (
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/fault"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/state"
)

// State is everything a world holds.
type State struct {
	Account   api.Account    `json:"account"`
	Settings  state.Settings `json:"settings"`
	Networks  []api.Network  `json:"networks"`
	Machines  []api.Machine  `json:"machines"`
	Balancers []api.Balancer `json:"balancers"`
	Routes    []api.Route    `json:"routes"`
	Faults    []fault.Fault  `json:"faults"`
	Counters  Counters       `json:"counters"`
}

// State returns a copy of everything.
func (w *World) State() State {
	return State{
		Account: w.account, Settings: w.Settings(), Networks: w.Networks(), Machines: w.Machines(), Balancers: w.Balancers(), Routes: w.Routes(),
		Faults: w.faults.List(), Counters: w.Counters(),
	}
}

// health is the body of the steering call that records a health check.
type health struct {
	Machine string `json:"machine"`
	Health  string `json:"health"`
}

// steering is the half of the API for tests and demonstrations. Its calls are not
// counted, not delayed, not subject to faults and need no token.
type steering struct{ *World }

func (w steering) handle() {
	steer := func(route string, run func(r *http.Request) (any, error)) {
		w.mux.HandleFunc(route, func(rw http.ResponseWriter, r *http.Request) {
			body, err := run(r)
			status := http.StatusOK
			if body == nil {
				status = http.StatusNoContent
			}
			answer(rw, status, body, err)
		})
	}
	steer("GET /v1/state", func(*http.Request) (any, error) { return w.State(), nil })
	steer("POST /v1/settle", func(*http.Request) (any, error) { w.Settle(); return nil, nil })
	steer("PUT /v1/settings", func(r *http.Request) (any, error) {
		settings, err := decode[state.Settings](r)
		if err == nil {
			w.Set(settings)
		}
		return settings, err
	})
	steer("GET /v1/counters", func(*http.Request) (any, error) { return w.Counters(), nil })
	steer("DELETE /v1/counters", func(*http.Request) (any, error) { w.counters.reset(); return nil, nil })
	w.steerMachines(steer)
	w.steerFaults(steer)
	w.steerBalancers(steer)
}

type steerFunc = func(route string, run func(r *http.Request) (any, error))

func (w steering) steerMachines(steer steerFunc) {
	steer("POST /v1/machines", func(r *http.Request) (any, error) {
		m, err := decode[api.Machine](r)
		if err != nil {
			return nil, err
		}
		return w.AddMachine(m)
	})
	steer("PUT /v1/machines/{id}", func(r *http.Request) (any, error) {
		m, err := decode[api.Machine](r)
		if err != nil {
			return nil, err
		}
		m.ID = r.PathValue("id")
		return w.EditMachine(m)
	})
	steer("DELETE /v1/machines/{id}", func(r *http.Request) (any, error) { return nil, w.RemoveMachine(r.PathValue("id")) })
	steer("POST /v1/machines/{id}/stop", func(r *http.Request) (any, error) { return nil, w.StopMachine(r.PathValue("id")) })
	steer("POST /v1/machines/{id}/start", func(r *http.Request) (any, error) { return nil, w.StartMachine(r.PathValue("id")) })
}

func (w steering) steerFaults(steer steerFunc) {
	steer("GET /v1/faults", func(*http.Request) (any, error) { return w.faults.List(), nil })
	steer("POST /v1/faults", func(r *http.Request) (any, error) {
		f, err := decode[fault.Fault](r)
		if err != nil {
			return nil, err
		}
		return w.AddFault(f)
	})
	steer("DELETE /v1/faults", func(*http.Request) (any, error) { w.ClearFaults(); return nil, nil })
	steer("DELETE /v1/faults/{id}", func(r *http.Request) (any, error) { return nil, w.faults.Remove(r.PathValue("id")) })
}

func (w steering) steerBalancers(steer steerFunc) {
	steer("PUT /v1/balancers/{id}/health", func(r *http.Request) (any, error) {
		h, err := decode[health](r)
		if err != nil {
			return nil, err
		}
		return nil, w.RecordHealth(r.PathValue("id"), h.Machine, h.Health)
	})
	steer("POST /v1/balancers/{id}/fail", func(r *http.Request) (any, error) {
		return nil, w.EditBalancer(r.PathValue("id"), func(b *api.Balancer) { b.Status = api.StatusFailed })
	})
}
