package digitalocean

import (
	"net/http"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// handler answers one request of an authenticated caller with the server's lock held.
type handler func(*Account, *http.Request) (reply, error)

// routes is the list of emulated endpoints.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, h := range map[string]handler{
		"GET /v2/account":                                 (*Account).getAccount,
		"GET /v2/regions":                                 (*Account).listRegions,
		"GET /v2/vpcs":                                    (*Account).listVPCs,
		"GET /v2/vpcs/{id}":                               (*Account).getVPC,
		"GET /v2/droplets":                                (*Account).listDroplets,
		"GET /v2/droplets/{id}":                           (*Account).getDroplet,
		"GET /v2/load_balancers":                          (*Account).listBalancers,
		"POST /v2/load_balancers":                         (*Account).createBalancer,
		"GET /v2/load_balancers/{id}":                     (*Account).getBalancer,
		"PUT /v2/load_balancers/{id}":                     (*Account).updateBalancer,
		"DELETE /v2/load_balancers/{id}":                  (*Account).deleteBalancer,
		"POST /v2/load_balancers/{id}/droplets":           (*Account).addBalancerDroplets,
		"DELETE /v2/load_balancers/{id}/droplets":         (*Account).removeBalancerDroplets,
		"POST /v2/load_balancers/{id}/forwarding_rules":   (*Account).addBalancerRules,
		"DELETE /v2/load_balancers/{id}/forwarding_rules": (*Account).removeBalancerRules,
		"GET /v2/certificates":                            (*Account).listCertificates,
		"GET /v2/certificates/{id}":                       (*Account).getCertificate,
		"GET /v2/tags":                                    (*Account).listTags,
		"POST /v2/tags":                                   (*Account).createTag,
		"GET /v2/tags/{name}":                             (*Account).getTag,
		"DELETE /v2/tags/{name}":                          (*Account).deleteTag,
		"POST /v2/tags/{name}/resources":                  (*Account).tagResources,
		"DELETE /v2/tags/{name}/resources":                (*Account).untagResources,
		"GET /v2/firewalls":                               (*Account).listFirewalls,
		"POST /v2/firewalls":                              (*Account).createFirewall,
		"GET /v2/firewalls/{id}":                          (*Account).getFirewall,
		"PUT /v2/firewalls/{id}":                          (*Account).updateFirewall,
		"DELETE /v2/firewalls/{id}":                       (*Account).deleteFirewall,
		"/":                                               (*Account).unknown,
	} {
		mux.Handle(pattern, s.authenticated(h))
	}
	mux.HandleFunc("GET /metadata/v1/region", func(w http.ResponseWriter, _ *http.Request) {
		wire.Text(w, s.options.Region)
	})
	return mux
}

// authenticated finds the caller's account by token and takes the lock.
func (s *Server) authenticated(h handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		w.Header().Set("X-Request-Id", s.newRequestID())
		account, ok := s.tokens[wire.Bearer(r)]
		if !ok {
			refuse(w, r, http.StatusUnauthorized)
			return
		}
		answer, err := h(account, r)
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
