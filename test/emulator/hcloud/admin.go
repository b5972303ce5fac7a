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
	mux.HandleFunc("POST "+front.Prefix+"/servers", s.adminAddMachines)
	mux.HandleFunc("POST "+front.Prefix+"/servers/{id}/{action}", s.adminMachineAction)
	mux.HandleFunc("POST "+front.Prefix+"/networks", s.adminAddNetwork)
	mux.HandleFunc("POST "+front.Prefix+"/dedicated", s.adminAddDedicated)
	mux.HandleFunc("POST "+front.Prefix+"/dedicated/{id}/{action}", s.adminDedicatedAction)
	mux.HandleFunc("POST "+front.Prefix+"/certificates", s.adminAddCertificate)
	mux.HandleFunc("PUT "+front.Prefix+"/delay", s.adminSetDelay)
	mux.HandleFunc("POST "+front.Prefix+"/actions/finish", func(w http.ResponseWriter, _ *http.Request) {
		s.FinishActions()
		front.Done(w, nil)
	})
	mux.HandleFunc("POST "+front.Prefix+"/action-faults", func(w http.ResponseWriter, r *http.Request) {
		var fault ActionFault
		err := front.Read(r, &fault)
		if err == nil {
			err = s.FailActions(fault)
		}
		front.Done(w, err)
	})
	mux.HandleFunc("DELETE "+front.Prefix+"/action-faults", func(w http.ResponseWriter, _ *http.Request) {
		s.ClearActionFaults()
		front.Done(w, nil)
	})
	mux.HandleFunc("PUT "+front.Prefix+"/tokens/{token}", func(w http.ResponseWriter, r *http.Request) {
		s.setToken(r.PathValue("token"), s.adminProject(r).name, r.URL.Query().Get("access") == "read")
		front.Done(w, nil)
	})
	mux.HandleFunc("DELETE "+front.Prefix+"/tokens/{token}", func(w http.ResponseWriter, r *http.Request) {
		s.RevokeToken(r.PathValue("token"))
		front.Done(w, nil)
	})
}

func (s *Server) adminProject(r *http.Request) *Project {
	name := r.URL.Query().Get("project")
	if name == "" {
		name = defaultProject
	}
	return s.In(name)
}

// adminAddMachines seeds {"count":N} servers, or one for each of {"names":[...]}, and answers them.
func (s *Server) adminAddMachines(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Count int      `json:"count"`
		Names []string `json:"names"`
	}
	if err := front.Read(r, &body); err != nil {
		front.Done(w, err)
		return
	}
	p := s.adminProject(r)
	added := p.SeedMachines(body.Count)
	for _, name := range body.Names {
		added = append(added, p.SeedMachines(1, func(m *Machine) { m.Name = name })...)
	}
	front.JSON(w, added)
}

// adminAddNetwork adds a network as the API shows one, without what is left out, and answers it.
func (s *Server) adminAddNetwork(w http.ResponseWriter, r *http.Request) {
	var network Network
	if err := front.Read(r, &network); err != nil {
		front.Done(w, err)
		return
	}
	front.JSON(w, s.adminProject(r).AddNetwork(network))
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

// adminAddDedicated seeds {"count":N} dedicated servers and answers them.
func (s *Server) adminAddDedicated(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Count int `json:"count"`
	}
	if err := front.Read(r, &body); err != nil {
		front.Done(w, err)
		return
	}
	front.JSON(w, s.Robot.Seed(body.Count))
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

// adminAddCertificate takes {"name":..., "domains":[...]} and answers the certificate.
func (s *Server) adminAddCertificate(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Name    string   `json:"name"`
		Domains []string `json:"domains"`
	}
	if err := front.Read(r, &body); err != nil {
		front.Done(w, err)
		return
	}
	front.JSON(w, s.adminProject(r).AddCertificate(body.Name, body.Domains...))
}

// adminSetDelay takes {"delay":"2s"}.
func (s *Server) adminSetDelay(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Delay fault.Duration `json:"delay"`
	}
	err := front.Read(r, &body)
	if err == nil {
		s.SetDelay(time.Duration(body.Delay))
	}
	front.Done(w, err)
}
