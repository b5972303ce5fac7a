package world

import "net/http"

// State is everything a world holds.
type State struct {
	Account   Account    `json:"account"`
	Settings  Settings   `json:"settings"`
	Networks  []Network  `json:"networks"`
	Machines  []Machine  `json:"machines"`
	Balancers []Balancer `json:"balancers"`
	Routes    []Route    `json:"routes"`
	Faults    []Fault    `json:"faults"`
	Counters  Counters   `json:"counters"`
}

// State returns a copy of everything.
func (w *World) State() State {
	s := State{
		Account: Account{ID: w.options.Account, Region: w.options.Region},
		Faults:  w.Faults(), Counters: w.Counters(), Machines: []Machine{},
	}
	defer w.lock()()
	s.Settings, s.Routes, s.Balancers = w.settings, w.listRoutes(), w.listBalancers("", nil)
	for _, n := range w.networks {
		s.Networks = append(s.Networks, *n)
	}
	for _, m := range w.machines {
		s.Machines = append(s.Machines, *m)
	}
	return s
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
		settings, err := decode[Settings](r)
		if err == nil {
			w.Set(settings)
		}
		return settings, err
	})
	steer("GET /v1/counters", func(*http.Request) (any, error) { return w.Counters(), nil })
	steer("DELETE /v1/counters", func(*http.Request) (any, error) { w.ResetCounters(); return nil, nil })
	w.steerMachines(steer)
	w.steerFaults(steer)
	w.steerBalancers(steer)
}

type steerFunc = func(route string, run func(r *http.Request) (any, error))

func (w steering) steerMachines(steer steerFunc) {
	steer("POST /v1/machines", func(r *http.Request) (any, error) {
		m, err := decode[Machine](r)
		if err != nil {
			return nil, err
		}
		return w.AddMachine(m)
	})
	steer("PUT /v1/machines/{id}", func(r *http.Request) (any, error) {
		m, err := decode[Machine](r)
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
	steer("GET /v1/faults", func(*http.Request) (any, error) { return w.Faults(), nil })
	steer("POST /v1/faults", func(r *http.Request) (any, error) {
		f, err := decode[Fault](r)
		if err != nil {
			return nil, err
		}
		return w.AddFault(f)
	})
	steer("DELETE /v1/faults", func(*http.Request) (any, error) { w.ClearFaults(); return nil, nil })
	steer("DELETE /v1/faults/{id}", func(r *http.Request) (any, error) { return nil, w.faults.remove(r.PathValue("id")) })
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
		return nil, w.EditBalancer(r.PathValue("id"), func(b *Balancer) { b.Status = StatusFailed })
	})
}
