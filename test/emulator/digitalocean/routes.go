package digitalocean

import (
	"net/http"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// handler answers one request of an authenticated caller with the server's lock held.
type handler func(*http.Request) (reply, error)

// routes is the list of emulated endpoints.
func (a *Account) routes() map[string]handler {
	return map[string]handler{
		"GET /v2/account":                                 a.get,
		"GET /v2/regions":                                 a.listRegions,
		"GET /v2/vpcs":                                    a.VPCs.list,
		"GET /v2/vpcs/{id}":                               a.VPCs.get,
		"GET /v2/droplets":                                a.Droplets.list,
		"GET /v2/droplets/{id}":                           a.Droplets.get,
		"GET /v2/load_balancers":                          a.LoadBalancers.list,
		"POST /v2/load_balancers":                         a.LoadBalancers.create,
		"GET /v2/load_balancers/{id}":                     a.LoadBalancers.get,
		"PUT /v2/load_balancers/{id}":                     a.LoadBalancers.update,
		"DELETE /v2/load_balancers/{id}":                  a.LoadBalancers.remove,
		"POST /v2/load_balancers/{id}/droplets":           a.LoadBalancers.addDroplets,
		"DELETE /v2/load_balancers/{id}/droplets":         a.LoadBalancers.removeDroplets,
		"POST /v2/load_balancers/{id}/forwarding_rules":   a.LoadBalancers.addRules,
		"DELETE /v2/load_balancers/{id}/forwarding_rules": a.LoadBalancers.removeRules,
		"GET /v2/certificates":                            a.Certificates.list,
		"GET /v2/certificates/{id}":                       a.Certificates.get,
		"GET /v2/tags":                                    a.Tags.list,
		"POST /v2/tags":                                   a.Tags.create,
		"GET /v2/tags/{name}":                             a.Tags.get,
		"DELETE /v2/tags/{name}":                          a.Tags.remove,
		"POST /v2/tags/{name}/resources":                  a.Tags.tag,
		"DELETE /v2/tags/{name}/resources":                a.Tags.untag,
		"GET /v2/firewalls":                               a.Firewalls.list,
		"POST /v2/firewalls":                              a.Firewalls.create,
		"GET /v2/firewalls/{id}":                          a.Firewalls.get,
		"PUT /v2/firewalls/{id}":                          a.Firewalls.update,
		"DELETE /v2/firewalls/{id}":                       a.Firewalls.remove,
		"/":                                               a.unknown,
	}
}

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern := range new(Account).routes() {
		mux.Handle(pattern, s.authenticated(pattern))
	}
	mux.HandleFunc("GET /metadata/v1/region", func(w http.ResponseWriter, _ *http.Request) {
		wire.Text(w, s.options.Region)
	})
	return mux
}

// authenticated finds the caller's account by token and takes the lock.
func (s *Server) authenticated(pattern string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		w.Header().Set("X-Request-Id", s.newRequestID())
		account, ok := s.tokens[wire.Bearer(r)]
		if !ok {
			refuse(w, r, http.StatusUnauthorized)
			return
		}
		answer, err := account.handlers[pattern](r)
		if err != nil {
			writeError(w, err)
			return
		}
		answer.write(w)
	})
}

// unknown answers paths the API does not have.
func (a *Account) unknown(*http.Request) (reply, error) { return reply{}, notFound() }

// number reads a path value that is a decimal id.
func number(r *http.Request, name string) (int, error) {
	id, err := strconv.Atoi(r.PathValue(name))
	if err != nil {
		return 0, notFound()
	}
	return id, nil
}
