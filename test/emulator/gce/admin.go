package gce

import (
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
)

// adminRoutes adds the vendor's own admin endpoints.
func (s *Server) adminRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST "+front.Prefix+"/seed", handle(s.Load))
	mux.HandleFunc("POST "+front.Prefix+"/instances", front.Answer(func(_ *http.Request, body struct {
		Count int `json:"count"`
	}) []string {
		return s.SeedInstances(body.Count)
	}))
	mux.HandleFunc("PATCH "+front.Prefix+"/objects/{path...}", front.Do(func(r *http.Request, patch map[string]any) error {
		return s.Edit(r.PathValue("path"), patch)
	}))
	mux.HandleFunc("DELETE "+front.Prefix+"/objects/{path...}", func(w http.ResponseWriter, r *http.Request) {
		front.Done(w, s.Remove(r.PathValue("path")))
	})
	mux.HandleFunc("POST "+front.Prefix+"/operations/finish", handle(func(struct{}) { s.Operations.Finish() }))
	mux.HandleFunc("POST "+front.Prefix+"/operations/faults", handle(s.Operations.Fail))
	mux.HandleFunc("DELETE "+front.Prefix+"/operations/faults", front.Act(func(*http.Request) { s.Operations.ClearFaults() }))
	mux.HandleFunc("PUT "+front.Prefix+"/lists", handle(func(body struct {
		Hold bool `json:"hold"`
	}) {
		if body.Hold {
			s.HoldLists()
			return
		}
		s.ReleaseLists()
	}))
	mux.HandleFunc("PUT "+front.Prefix+"/unreachable", handle(func(body struct {
		Scopes []string `json:"scopes"`
	}) {
		s.SetUnreachable(body.Scopes...)
	}))
	s.limitRoutes(mux)
}

// limitRoutes adds what changes limits and credentials.
func (s *Server) limitRoutes(mux *http.ServeMux) {
	mux.HandleFunc("PUT "+front.Prefix+"/rates", handle(s.SetRates))
	mux.HandleFunc("PUT "+front.Prefix+"/quotas/{project}/{metric}", front.Do(func(r *http.Request, body struct {
		Limit int `json:"limit"`
	}) error {
		s.SetQuota(r.PathValue("project"), r.PathValue("metric"), body.Limit)
		return nil
	}))
	mux.HandleFunc("PUT "+front.Prefix+"/tokens/{token}", front.Do(func(r *http.Request, body struct {
		Account string `json:"account"`
	}) error {
		s.SetToken(r.PathValue("token"), body.Account)
		return nil
	}))
	mux.HandleFunc("DELETE "+front.Prefix+"/tokens/{token}", front.Act(func(r *http.Request) { s.RevokeToken(r.PathValue("token")) }))
	mux.HandleFunc("POST "+front.Prefix+"/keys/{account}", func(w http.ResponseWriter, r *http.Request) {
		key, err := s.ServiceAccountKey(r.PathValue("account"))
		if err != nil {
			front.Done(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(key) // the caller left: nothing to do about it
	})
}

// handle reads the body of an admin request and hands it to f.
func handle[T any](f func(T)) http.HandlerFunc {
	return front.Do(func(_ *http.Request, body T) error { f(body); return nil })
}
