package digitalocean

import (
	"fmt"
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
)

// adminRoutes adds the vendor's own admin endpoints. All take ?account=name,
// the default account when absent.
func (s *Server) adminRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST "+front.Prefix+"/droplets", front.Answer(s.adminAddDroplets))
	mux.HandleFunc("POST "+front.Prefix+"/droplets/{id}/{action}", s.adminDropletAction)
	mux.HandleFunc("POST "+front.Prefix+"/certificates", front.Answer(func(r *http.Request, body struct {
		Name     string   `json:"name"`
		Type     string   `json:"type"`
		DNSNames []string `json:"dns_names"`
	}) Certificate {
		return s.adminAccount(r).Certificates.Add(body.Name, body.Type, body.DNSNames...)
	}))
	mux.HandleFunc("POST "+front.Prefix+"/load_balancers/activate", front.Act(func(r *http.Request) { s.adminAccount(r).LoadBalancers.Activate() }))
	mux.HandleFunc("PUT "+front.Prefix+"/tokens/{token}", front.Act(func(r *http.Request) {
		s.SetToken(r.PathValue("token"), s.adminAccount(r).name)
	}))
	mux.HandleFunc("DELETE "+front.Prefix+"/tokens/{token}", front.Act(func(r *http.Request) { s.RevokeToken(r.PathValue("token")) }))
}

func (s *Server) adminAccount(r *http.Request) *Account {
	name := r.URL.Query().Get("account")
	if name == "" {
		name = defaultAccount
	}
	return s.In(name)
}

// seeding is what there is to be more of: a number, one for each name, and those that are given.
type seeding struct {
	Count    int       `json:"count"`
	Names    []string  `json:"names"`
	Droplets []Droplet `json:"droplets"`
}

// adminAddDroplets adds droplets and returns them.
func (s *Server) adminAddDroplets(r *http.Request, body seeding) []Droplet {
	a := s.adminAccount(r)
	added := a.Droplets.Seed(body.Count)
	for _, name := range body.Names {
		added = append(added, a.Droplets.Seed(1, func(d *Droplet) { d.Name = name })...)
	}
	for _, d := range body.Droplets {
		d.ID = a.Droplets.Add(d)
		added = append(added, d)
	}
	return added
}

// adminDropletAction does one of power_off, power_on, delete and resurrect.
func (s *Server) adminDropletAction(w http.ResponseWriter, r *http.Request) {
	id, err := number(r, "id")
	if err != nil {
		front.Done(w, fmt.Errorf("%q is no droplet id", r.PathValue("id")))
		return
	}
	a := s.adminAccount(r)
	switch action := r.PathValue("action"); action {
	case "power_off":
		err = a.Droplets.PowerOff(id)
	case "power_on":
		err = a.Droplets.PowerOn(id)
	case "delete":
		err = a.Droplets.Delete(id)
	case "resurrect":
		err = a.Droplets.Resurrect(id)
	default:
		err = fmt.Errorf("%q is none of power_off, power_on, delete, resurrect", action)
	}
	front.Done(w, err)
}
