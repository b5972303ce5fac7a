package world

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/fault"
)

// maxBody bounds what a client may send.
const maxBody = 1 << 20

// nonsensePage is what a captive portal or a broken proxy answers.
const nonsensePage = "<!DOCTYPE html><html><body><h1>It works!</h1></body></html>"

// server is the driver's half of the API of a world.
type server struct{ *World }

func (w server) handle() {
	for _, o := range operations {
		w.mux.HandleFunc(o.route, func(rw http.ResponseWriter, r *http.Request) { w.serve(o, rw, r) })
	}
	w.mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		answer(rw, 0, nil, &api.Failure{Status: http.StatusNotFound, Code: api.CodeNoSuchCall, Message: "the API has no " + r.Method + " " + r.URL.Path})
	})
}

// serve counts the call, lets time pass and does what the operation and a fault say.
func (w server) serve(o operation, rw http.ResponseWriter, r *http.Request) {
	w.counters.add(o.Operation)
	hit := w.faults.Take(o.Operation)
	if !w.delay(r) {
		return
	}
	switch hit.Effect {
	case fault.EffectError:
		refuse(rw, hit.Fault)
		return
	case fault.EffectNonsense:
		rw.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(rw, nonsensePage)
		return
	case fault.EffectBlank:
		answer(rw, http.StatusOK, struct{}{}, nil)
		return
	case fault.EffectHang:
		select {
		case <-r.Context().Done():
			return
		case <-hit.Removed():
		}
	}
	if w.token != "" && r.Header.Get("Authorization") != "Bearer "+w.token {
		answer(rw, 0, nil, &api.Failure{Status: http.StatusUnauthorized, Code: api.CodeUnauthorized, Message: "the token is wrong"})
		return
	}
	status, body, err := o.run(w, call{Request: r, effect: hit.Effect, code: hit.Code})
	switch hit.Effect {
	case fault.EffectLost:
		panic(http.ErrAbortHandler)
	case fault.EffectTruncated:
		truncate(rw, body)
	}
	answer(rw, status, body, err)
}

// delay waits for the latency; it returns false when the client has gone.
func (w server) delay(r *http.Request) bool {
	latency := time.Duration(w.Settings().Latency)
	if latency == 0 {
		return true
	}
	select {
	case <-time.After(latency):
		return true
	case <-r.Context().Done():
		return false
	}
}

// answer sends a body, or the failure when there is one.
func answer(rw http.ResponseWriter, status int, body any, err error) {
	if err != nil {
		failure, ok := errors.AsType[*api.Failure](err)
		if !ok {
			failure = &api.Failure{Status: http.StatusInternalServerError, Code: api.CodeInternal, Message: err.Error()}
		}
		status, body = failure.Status, failure
	}
	if body == nil {
		rw.WriteHeader(status)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(body) // the client may have gone
}

// refuse answers what an error fault says.
func refuse(rw http.ResponseWriter, f fault.Fault) {
	if f.RetryAfterSeconds > 0 {
		rw.Header().Set("Retry-After", strconv.Itoa(f.RetryAfterSeconds))
	}
	if f.Location != "" {
		rw.Header().Set("Location", f.Location)
	}
	if f.Body == "" {
		answer(rw, 0, nil, f.Failure())
		return
	}
	rw.WriteHeader(f.Status)
	_, _ = io.WriteString(rw, f.Body)
}

// truncate promises the whole body, sends half of it and breaks the connection.
func truncate(rw http.ResponseWriter, body any) {
	data, _ := json.Marshal(body) // bodies are plain data
	rw.Header().Set("Content-Type", "application/json")
	rw.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = rw.Write(data[:len(data)/2])
	_ = http.NewResponseController(rw).Flush()
	panic(http.ErrAbortHandler)
}

// decode reads the one JSON value of a body and refuses unknown fields.
func decode[T any](r *http.Request) (T, error) {
	var value T
	decoder := json.NewDecoder(io.LimitReader(r.Body, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&value); err != nil {
		return value, api.Invalid("body: %v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return value, api.Invalid("body: there is more after the first value")
	}
	return value, nil
}

// paging reads limit=… and after=….
func (w server) paging(query url.Values) (limit, after int, err error) {
	limit = w.pageSize
	if text := query.Get("limit"); text != "" {
		limit, err = strconv.Atoi(text)
		if err != nil || limit < 1 || limit > w.pageSize {
			return 0, 0, api.Invalid("limit %q must be in 1..%d", text, w.pageSize)
		}
	}
	if text := query.Get("after"); text != "" {
		after, err = strconv.Atoi(strings.TrimPrefix(text, "m-"))
		if err != nil {
			return 0, 0, api.Invalid("after %q is not the next of an earlier page", text)
		}
	}
	return limit, after, nil
}
