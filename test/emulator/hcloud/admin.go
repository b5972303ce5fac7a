package hcloud

import (
	"fmt"
	"net/http"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud/robot"
)

// adminRoutes adds the vendor's own admin endpoints. All take ?project=name, the default project
// when absent.
func (s *Server) adminRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST "+front.Prefix+"/servers", front.Answer(s.adminAddMachines))
	mux.HandleFunc("POST "+front.Prefix+"/servers/{id}/{action}", s.adminMachineAction)
	mux.HandleFunc("POST "+front.Prefix+"/networks", front.Answer(func(r *http.Request, n Network) Network {
		return s.adminProject(r).AddNetwork(n)
	}))
	mux.HandleFunc("POST "+front.Prefix+"/dedicated", front.Answer(func(_ *http.Request, body struct {
		Count int `json:"count"`
	}) []robot.Machine {
		return s.Robot.Seed(body.Count)
	}))
	mux.HandleFunc("POST "+front.Prefix+"/dedicated/{id}/{action}", s.adminDedicatedAction)
	mux.HandleFunc("POST "+front.Prefix+"/certificates", front.Answer(func(r *http.Request, body struct {
		Name    string   `json:"name"`
		Domains []string `json:"domains"`
	}) Certificate {
		return s.adminProject(r).AddCertificate(body.Name, body.Domains...)
	}))
	mux.HandleFunc("PUT "+front.Prefix+"/delay", front.Do(func(_ *http.Request, body struct {
		Delay fault.Duration `json:"delay"`
	}) error {
		s.SetDelay(time.Duration(body.Delay))
		return nil
	}))
	mux.HandleFunc("POST "+front.Prefix+"/actions/finish", front.Act(func(*http.Request) { s.FinishActions() }))
	mux.HandleFunc("POST "+front.Prefix+"/action-faults", front.Do(func(_ *http.Request, f ActionFault) error { return s.FailActions(f) }))
	mux.HandleFunc("DELETE "+front.Prefix+"/action-faults", front.Act(func(*http.Request) { s.ClearActionFaults() }))
	mux.HandleFunc("PUT "+front.Prefix+"/tokens/{token}", front.Act(func(r *http.Request) {
		s.setToken(r.PathValue("token"), s.adminProject(r).name, r.URL.Query().Get("access") == "read")
	}))
	mux.HandleFunc("DELETE "+front.Prefix+"/tokens/{token}", front.Act(func(r *http.Request) { s.RevokeToken(r.PathValue("token")) }))
}

func (s *Server) adminProject(r *http.Request) *Project {
	name := r.URL.Query().Get("project")
	if name == "" {
		name = defaultProject
	}
	return s.In(name)
}

// seeding is what there is to be more of: a number, and one for each name.
type seeding struct {
	Count int      `json:"count"`
	Names []string `json:"names"`
}

// adminAddMachines adds servers and returns them.
func (s *Server) adminAddMachines(r *http.Request, body seeding) []Machine {
	p := s.adminProject(r)
	added := p.SeedMachines(body.Count)
	for _, name := range body.Names {
		added = append(added, p.SeedMachines(1, func(m *Machine) { m.Name = name })...)
	}
	return added
}

// adminMachineAction does one of power_off, power_on, delete and self.
func (s *Server) adminMachineAction(w http.ResponseWriter, r *http.Request) {
	id := (&call{Request: r}).identifier()
	p := s.adminProject(r)
	var err error
	switch action := r.PathValue("action"); action {
	case "power_off":
		err = p.PowerOff(id)
	case "power_on":
		err = p.PowerOn(id)
	case "delete":
		err = p.DeleteMachines(id)
	case "self":
		s.SetSelf(id)
	default:
		err = fmt.Errorf("%q is none of power_off, power_on, delete, self", action)
	}
	front.Done(w, err)
}

// adminDedicatedAction does one of power_off, power_on and delete.
func (s *Server) adminDedicatedAction(w http.ResponseWriter, r *http.Request) {
	number := (&call{Request: r}).identifier()
	operating := func(state string) error {
		return s.Robot.Edit(number, func(m *robot.Machine) { m.Operating = state })
	}
	var err error
	switch action := r.PathValue("action"); action {
	case "power_off":
		err = operating(robot.ShutOff)
	case "power_on":
		err = operating(robot.Running)
	case "delete":
		err = s.Robot.Remove(number)
	default:
		err = fmt.Errorf("%q is none of power_off, power_on, delete", action)
	}
	front.Done(w, err)
}
