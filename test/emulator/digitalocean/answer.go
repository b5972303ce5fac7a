package digitalocean

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// problem is an error answer of the API.
type problem struct {
	status  int
	message string
}

func (p *problem) Error() string { return p.message }

// unprocessable is a refusal with 422.
func unprocessable(format string, args ...any) error {
	return &problem{http.StatusUnprocessableEntity, fmt.Sprintf(format, args...)}
}

// notFound is the API's answer about a resource that does not exist.
func notFound() error {
	return &problem{http.StatusNotFound, "The resource you were accessing could not be found."}
}

// problemIDs are the "id" values of error answers by status.
var problemIDs = map[int]string{
	http.StatusBadRequest:          "bad_request",
	http.StatusUnauthorized:        "unauthorized",
	http.StatusForbidden:           "forbidden",
	http.StatusNotFound:            "not_found",
	http.StatusConflict:            "conflict",
	http.StatusUnprocessableEntity: "unprocessable_entity",
	http.StatusTooManyRequests:     "too_many_requests",
	http.StatusInternalServerError: "server_error",
	http.StatusServiceUnavailable:  "service_unavailable",
}

// messages are the texts of answers that need no detail.
var messages = map[int]string{
	http.StatusUnauthorized:        "Unable to authenticate you",
	http.StatusForbidden:           "You do not have access for the attempted action.",
	http.StatusTooManyRequests:     "API Rate limit exceeded.",
	http.StatusInternalServerError: "Unexpected server-side error",
}

// refuse writes the API's usual error body for a status.
func refuse(w http.ResponseWriter, _ *http.Request, status int) {
	message, ok := messages[status]
	if !ok {
		message = http.StatusText(status)
	}
	writeProblem(w, &problem{status, message})
}

func writeProblem(w http.ResponseWriter, p *problem) {
	id, ok := problemIDs[p.status]
	if !ok {
		id = "server_error"
	}
	requestID := w.Header().Get("X-Request-Id")
	if requestID == "" {
		requestID = "00000000-0000-4000-8000-000000000000"
	}
	wire.JSON(w, p.status, map[string]string{"id": id, "message": p.message, "request_id": requestID})
}

// reply is a successful answer. Status 0 is 200; with neither body nor raw
// there is no content.
type reply struct {
	status int
	body   any
	raw    []byte
}

func noContent() reply { return reply{status: http.StatusNoContent} }

func (p reply) write(w http.ResponseWriter) {
	status := p.status
	if status == 0 {
		status = http.StatusOK
	}
	switch {
	case p.raw != nil:
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write(p.raw) // the front buffers: it can't fail
	case p.body != nil:
		wire.JSON(w, status, p.body)
	default:
		w.WriteHeader(status)
	}
}

// writeError answers with the problem in err; anything else is a bug.
func writeError(w http.ResponseWriter, err error) {
	var p *problem
	if !errors.As(err, &p) {
		panic(err)
	}
	writeProblem(w, p)
}
