package robot

import (
	"net/http"
	"strconv"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// problem is an error answer of the web service.
type problem struct {
	Status  int    `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message"`
	// MaxRequest and Interval, in seconds, are those of a limit.
	MaxRequest int `json:"max_request,omitempty"`
	Interval   int `json:"interval,omitempty"`
}

func (p problem) write(w http.ResponseWriter) { wire.JSON(w, p.Status, map[string]problem{"error": p}) }

func limitReached(most int) problem {
	return problem{http.StatusForbidden, "RATE_LIMIT_EXCEEDED", "rate limit exceeded", most, int(time.Hour.Seconds())}
}

// refuse writes the usual error body for a status, for faults. A fault with 429 is answered as a limit is: 403.
func refuse(w http.ResponseWriter, _ *http.Request, status int) {
	switch status {
	case http.StatusTooManyRequests:
		limitReached(PublishedServerLimit).write(w)
	case http.StatusUnauthorized:
		problem{Status: status, Code: "UNAUTHORIZED", Message: "Unauthorized"}.write(w)
	case http.StatusNotFound:
		problem{Status: status, Code: "SERVER_NOT_FOUND", Message: "server not found"}.write(w)
	default:
		problem{Status: status, Code: "INTERNAL_ERROR", Message: http.StatusText(status)}.write(w)
	}
}

// routes is the list of emulated calls.
func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /server", s.guarded("servers", s.list))
	mux.HandleFunc("GET /server/{number}", s.guarded("server", s.get))
	mux.HandleFunc("GET /reset/{number}", s.guarded("reset", s.reset))
	mux.HandleFunc("/", s.guarded("", func(*http.Request) (any, *problem) {
		return nil, &problem{Status: http.StatusNotFound, Code: "NOT_FOUND", Message: "Not Found"}
	}))
	return mux
}

// guarded checks the login and the limit of a kind of call, and takes the lock.
func (s *Server) guarded(kind string, answer func(*http.Request) (any, *problem)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.admitted(r) {
			refuse(w, r, http.StatusUnauthorized)
			return
		}
		if limit := s.limits[kind]; limit != nil && !limit.Allow("").Allowed {
			limitReached(limit.Quota().Hour).write(w)
			return
		}
		body, refusal := answer(r)
		if refusal != nil {
			refusal.write(w)
			return
		}
		wire.JSON(w, http.StatusOK, body)
	}
}

func (s *Server) list(*http.Request) (any, *problem) {
	if len(s.machines) == 0 {
		return nil, &problem{Status: http.StatusNotFound, Code: "SERVER_NOT_FOUND", Message: "No server found"}
	}
	var all []map[string]summary
	for i := range s.machines {
		all = append(all, map[string]summary{"server": s.machines[i].summary()})
	}
	return all, nil
}

// named returns the machine that the path names by number, or in the deprecated way by address.
func (s *Server) named(r *http.Request) (*Machine, *problem) {
	name := r.PathValue("number")
	number, _ := strconv.ParseInt(name, 10, 64) // no number is 0: no machine has it
	for i := range s.machines {
		if m := &s.machines[i]; m.Number == number || (m.IPv4 != "" && m.IPv4 == name) {
			return m, nil
		}
	}
	return nil, &problem{Status: http.StatusNotFound, Code: "SERVER_NOT_FOUND", Message: "server with id " + name + " not found"}
}

func (s *Server) get(r *http.Request) (any, *problem) {
	m, refusal := s.named(r)
	if refusal != nil {
		return nil, refusal
	}
	return map[string]details{"server": {summary: m.summary(), Reset: !m.NoReset, Rescue: true}}, nil
}

func (s *Server) reset(r *http.Request) (any, *problem) {
	m, refusal := s.named(r)
	switch {
	case refusal != nil:
		return nil, refusal
	case m.NoReset:
		return nil, &problem{Status: http.StatusNotFound, Code: "RESET_NOT_AVAILABLE", Message: "The server has no reset option"}
	}
	state := resetState{ServerIP: given(m.IPv4), IPv6Net: given(m.IPv6Net), Number: m.Number, Type: []string{"power", "power_long", "hw", "man"}, Operating: m.Operating}
	if m.Operating == NotSupported {
		state.Type = []string{"sw", "hw", "man"}
	}
	return map[string]resetState{"reset": state}, nil
}
