package toycloud_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
)

// fault makes every answer wrong but the first few.
type fault struct {
	conformance.Fault
	pass int
	// healed is closed with the fault, and frees hung requests.
	healed chan struct{}
}

// count counts a request and returns the fault that hits it, nil when none does.
func (s *toy) count(r *http.Request) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	write := r.Method != http.MethodGet
	if write {
		s.writes++
	} else {
		s.reads++
	}
	f := s.fault
	if f == nil || f.Writes && !write {
		return nil
	}
	if f.pass--; f.pass >= 0 {
		return nil
	}
	return f
}

// instead answers in place of the API; false means that the API has to.
func (f *fault) instead(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case f == nil, f.Lost, f.Truncate:
		return false
	case f.Hang:
		select {
		case <-r.Context().Done():
		case <-f.healed:
		}
		panic(http.ErrAbortHandler)
	case f.Nonsense:
		_, _ = io.WriteString(w, "<!DOCTYPE html><html><body>It works!</body></html>")
	case f.Blank:
		_, _ = io.WriteString(w, "{}")
	default:
		f.refuse(w)
	}
	return true
}

func (f *fault) refuse(w http.ResponseWriter) {
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter.Seconds())))
	}
	if f.Location != "" {
		w.Header().Set("Location", f.Location)
	}
	w.WriteHeader(f.Status)
	body := f.Body
	if body == "" {
		code := map[int]string{http.StatusNotFound: "not_found"}[f.Status]
		body = fmt.Sprintf(`{"code":%q,"message":"a fault"}`, cmp.Or(code, "fault"))
	}
	_, _ = io.WriteString(w, body)
}

// afterwards breaks the connection before the answer or within it.
func (f *fault) afterwards(w http.ResponseWriter, body any) {
	switch {
	case f == nil:
		return
	case f.Truncate:
		data, _ := json.Marshal(body) // bodies are plain data
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data[:len(data)/2])
		_ = http.NewResponseController(w).Flush()
	}
	panic(http.ErrAbortHandler)
}
