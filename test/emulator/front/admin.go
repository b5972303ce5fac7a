package front

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/fault"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/halt"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/rate"
)

// Prefix is where the admin endpoints live.
const Prefix = "/_emulator"

func isAdmin(r *http.Request) bool {
	return r.URL.Path == Prefix || strings.HasPrefix(r.URL.Path, Prefix+"/")
}

// adminRoutes is the list of neutral admin endpoints. They need no token.
func (f *Front) adminRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Prefix+"/health", func(w http.ResponseWriter, _ *http.Request) { Done(w, nil) })
	mux.HandleFunc("GET "+Prefix+"/state", func(w http.ResponseWriter, _ *http.Request) { JSON(w, f.vendor.State()) })
	mux.HandleFunc("POST "+Prefix+"/reset", func(w http.ResponseWriter, _ *http.Request) { f.Reset(); Done(w, nil) })
	mux.HandleFunc("GET "+Prefix+"/counters", func(w http.ResponseWriter, _ *http.Request) { JSON(w, f.Book.Counters()) })
	mux.HandleFunc("GET "+Prefix+"/requests", func(w http.ResponseWriter, _ *http.Request) { JSON(w, f.Book.Requests()) })
	mux.HandleFunc("DELETE "+Prefix+"/requests", func(w http.ResponseWriter, _ *http.Request) { f.Book.Reset(); Done(w, nil) })
	mux.HandleFunc("GET "+Prefix+"/faults", func(w http.ResponseWriter, _ *http.Request) { JSON(w, f.Faults.List()) })
	mux.HandleFunc("POST "+Prefix+"/faults", f.addFault)
	mux.HandleFunc("DELETE "+Prefix+"/faults", func(w http.ResponseWriter, _ *http.Request) { f.Faults.Clear(); Done(w, nil) })
	mux.HandleFunc("DELETE "+Prefix+"/faults/{id}", f.removeFault)
	mux.HandleFunc("GET "+Prefix+"/halt", func(w http.ResponseWriter, _ *http.Request) { JSON(w, map[string]any{"fired": f.HaltedAt()}) })
	mux.HandleFunc("PUT "+Prefix+"/halt", Do(func(_ *http.Request, t halt.Trigger) error { return f.ArmTrigger(t) }))
	mux.HandleFunc("DELETE "+Prefix+"/halt", func(w http.ResponseWriter, _ *http.Request) { f.Disarm(); Done(w, nil) })
	mux.HandleFunc("GET "+Prefix+"/quota", func(w http.ResponseWriter, _ *http.Request) { JSON(w, f.Quota.Quota()) })
	mux.HandleFunc("PUT "+Prefix+"/quota", Do(func(_ *http.Request, q rate.Quota) error { f.Quota.Set(q); return nil }))
	mux.HandleFunc("PUT "+Prefix+"/latency", Do(func(_ *http.Request, body struct {
		Latency fault.Duration `json:"latency"`
	}) error {
		f.latency.Store(int64(body.Latency))
		return nil
	}))
	return mux
}

// Reset brings the emulator back to its start: state, faults, halts, counters
// and log are emptied; latency and quota settings stay, the quota's counts go.
func (f *Front) Reset() {
	f.Disarm()
	f.Faults.Clear()
	f.Quota.Set(f.Quota.Quota())
	f.vendor.Reset()
	f.Book.Reset()
	f.signal.Announce()
}

func (f *Front) addFault(w http.ResponseWriter, r *http.Request) {
	var wanted fault.Fault
	if err := Read(r, &wanted); err != nil {
		Done(w, err)
		return
	}
	id, err := f.Faults.Add(wanted)
	if err != nil {
		Done(w, err)
		return
	}
	JSON(w, map[string]string{"id": id})
}

// Do returns the handler of an admin request that reads a body and does something.
func Do[T any](do func(r *http.Request, body T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body T
		err := Read(r, &body)
		if err == nil {
			err = do(r, body)
		}
		Done(w, err)
	}
}

// Answer returns the handler of an admin request that reads a body and answers something.
func Answer[T, A any](answer func(r *http.Request, body T) A) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body T
		if err := Read(r, &body); err != nil {
			Done(w, err)
			return
		}
		JSON(w, answer(r, body))
	}
}

// Act returns the handler of an admin request without a body.
func Act(act func(r *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		act(r)
		Done(w, nil)
	}
}

func (f *Front) removeFault(w http.ResponseWriter, r *http.Request) {
	if !f.Faults.Remove(r.PathValue("id")) {
		http.Error(w, "no such fault", http.StatusNotFound)
		return
	}
	Done(w, nil)
}

// Read decodes the body of an admin request strictly.
func Read(r *http.Request, into any) error {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("reading the body: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("reading the body: more than one JSON value")
	}
	return nil
}

// JSON answers an admin request with 200 and v.
func JSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the caller left: nothing to do about it
}

// Done answers an admin request with 204, or with 400 and the error.
func Done(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
