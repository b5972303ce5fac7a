package gce

import (
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/front"
)

// adminRoutes adds the vendor's own admin endpoints.
func (s *Server) adminRoutes(mux *http.ServeMux) {
	mux.HandleFunc("POST "+front.Prefix+"/seed", handle(func(seed Seed) { s.Load(seed) }))
	mux.HandleFunc("POST "+front.Prefix+"/instances", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Count int `json:"count"`
		}
		if err := front.Read(r, &body); err != nil {
			front.Done(w, err)
			return
		}
		front.JSON(w, s.SeedInstances(body.Count))
	})
	mux.HandleFunc("PATCH "+front.Prefix+"/objects/{path...}", func(w http.ResponseWriter, r *http.Request) {
		var patch map[string]any
		err := front.Read(r, &patch)
		if err == nil {
			err = s.Edit(r.PathValue("path"), patch)
		}
		front.Done(w, err)
	})
	mux.HandleFunc("DELETE "+front.Prefix+"/objects/{path...}", func(w http.ResponseWriter, r *http.Request) {
		front.Done(w, s.Remove(r.PathValue("path")))
	})
	mux.HandleFunc("POST "+front.Prefix+"/operations/finish", handle(func(struct{}) { s.FinishOperations() }))
	mux.HandleFunc("POST "+front.Prefix+"/operations/faults", handle(s.FailOperations))
	mux.HandleFunc("DELETE "+front.Prefix+"/operations/faults", func(w http.ResponseWriter, _ *http.Request) { s.ClearOperationFaults(); front.Done(w, nil) })
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
	mux.HandleFunc("PUT "+front.Prefix+"/quotas/{project}/{metric}", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Limit int `json:"limit"`
		}
		err := front.Read(r, &body)
		if err == nil {
			s.SetQuota(r.PathValue("project"), r.PathValue("metric"), body.Limit)
		}
		front.Done(w, err)
	})
	mux.HandleFunc("PUT "+front.Prefix+"/tokens/{token}", handlePath(func(r *http.Request, body struct {
		Account string `json:"account"`
	}) {
		s.SetToken(r.PathValue("token"), body.Account)
	}))
	mux.HandleFunc("DELETE "+front.Prefix+"/tokens/{token}", func(w http.ResponseWriter, r *http.Request) {
		s.RevokeToken(r.PathValue("token"))
		front.Done(w, nil)
	})
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
	return handlePath(func(_ *http.Request, body T) { f(body) })
}

func handlePath[T any](f func(*http.Request, T)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body T
		err := front.Read(r, &body)
		if err == nil {
			f(r, body)
		}
		front.Done(w, err)
	}
}
