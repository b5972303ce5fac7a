package digitalocean

import (
	"fmt"
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
)

// adminRoutes adds the vendor's own admin endpoints. All take ?account=name,
// the default account when absent.
func (s *Server) adminRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST "+front.Prefix+"/droplets", s.adminAddDroplets)
	mux.HandleFunc("POST "+front.Prefix+"/droplets/{id}/{action}", s.adminDropletAction)
	mux.HandleFunc("POST "+front.Prefix+"/certificates", s.adminAddCertificate)
	mux.HandleFunc("POST "+front.Prefix+"/load_balancers/activate", func(w http.ResponseWriter, r *http.Request) {
		s.adminAccount(r).ActivateBalancers()
		front.Done(w, nil)
	})
	mux.HandleFunc("PUT "+front.Prefix+"/tokens/{token}", func(w http.ResponseWriter, r *http.Request) {
		s.SetToken(r.PathValue("token"), s.adminAccount(r).name)
		front.Done(w, nil)
	})
	mux.HandleFunc("DELETE "+front.Prefix+"/tokens/{token}", func(w http.ResponseWriter, r *http.Request) {
		s.RevokeToken(r.PathValue("token"))
		front.Done(w, nil)
	})
}

func (s *Server) adminAccount(r *http.Request) *Account {
	name := r.URL.Query().Get("account")
	if name == "" {
		name = defaultAccount
	}
	return s.In(name)
}

// adminAddDroplets seeds {"count":N} droplets, or one for each of {"names":[...]},
// or adds {"droplets":[...]} as given. It answers the droplets.
func (s *Server) adminAddDroplets(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Count    int       `json:"count"`
		Names    []string  `json:"names"`
		Droplets []Droplet `json:"droplets"`
	}
	if err := front.Read(r, &body); err != nil {
		front.Done(w, err)
		return
	}
	a := s.adminAccount(r)
	added := a.SeedDroplets(body.Count)
	for _, name := range body.Names {
		added = append(added, a.SeedDroplets(1, func(d *Droplet) { d.Name = name })...)
	}
	for _, d := range body.Droplets {
		d.ID = a.AddDroplet(d)
		added = append(added, d)
	}
	front.JSON(w, added)
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
		err = a.PowerOff(id)
	case "power_on":
		err = a.PowerOn(id)
	case "delete":
		err = a.DeleteDroplets(id)
	case "resurrect":
		err = a.Resurrect(id)
	default:
		err = fmt.Errorf("%q is none of power_off, power_on, delete, resurrect", action)
	}
	front.Done(w, err)
}

// adminAddCertificate takes {"name":..., "type":..., "dns_names":[...]} and
// answers the certificate.
func (s *Server) adminAddCertificate(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Name     string   `json:"name"`
		Type     string   `json:"type"`
		DNSNames []string `json:"dns_names"`
	}
	if err := front.Read(r, &body); err != nil {
		front.Done(w, err)
		return
	}
	front.JSON(w, s.adminAccount(r).AddCertificate(body.Name, body.Type, body.DNSNames...))
}
