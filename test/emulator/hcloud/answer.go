package hcloud

import (
	"errors"
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// ruleHeader names the rule that a refused request breaks; the real API has no such header.
const ruleHeader = "X-Emulator-Rule"

// problem is an error answer of the API.
type problem struct {
	status  int
	code    string
	message string
	fields  []fieldProblem // of invalid_input
	rule    string
}

// fieldProblem is what is wrong with one field.
type fieldProblem struct {
	Name     string   `json:"name"`
	Messages []string `json:"messages"`
}

func (p *problem) Error() string { return p.message }

type errorBody struct {
	Error errorView `json:"error"`
}

type errorView struct {
	Code    string        `json:"code"`
	Message string        `json:"message"`
	Details *errorDetails `json:"details"`
}

type errorDetails struct {
	Fields []fieldProblem `json:"fields"`
}

func (p *problem) write(w http.ResponseWriter) {
	body := errorBody{Error: errorView{Code: p.code, Message: p.message}}
	if p.code == codeInvalid {
		body.Error.Details = &errorDetails{Fields: append([]fieldProblem{}, p.fields...)}
	}
	if p.rule != "" {
		w.Header().Set(ruleHeader, p.rule)
	}
	wire.JSON(w, p.status, body)
}

// codeInvalid is the code of answers that name fields.
const codeInvalid = "invalid_input"

// codes are those of answers that a fault asks for by status alone.
var codes = map[int]string{
	http.StatusBadRequest: "json_error", http.StatusUnauthorized: "unauthorized", http.StatusForbidden: "forbidden",
	http.StatusNotFound: "not_found", http.StatusMethodNotAllowed: "method_not_allowed", http.StatusConflict: "conflict",
	http.StatusGone: "deprecated_api_endpoint", http.StatusPreconditionFailed: "resource_unavailable",
	http.StatusUnprocessableEntity: codeInvalid, http.StatusLocked: "locked", http.StatusTooManyRequests: "rate_limit_exceeded",
	http.StatusInternalServerError: "server_error", http.StatusBadGateway: "bad_gateway",
	http.StatusServiceUnavailable: "unavailable", http.StatusGatewayTimeout: "timeout",
}

// refuse writes the API's usual error body for a status; faults and the quota use it.
func refuse(w http.ResponseWriter, _ *http.Request, status int) {
	code, ok := codes[status]
	if !ok {
		code = "unknown_error"
	}
	(&problem{status: status, code: code, message: http.StatusText(status)}).write(w)
}

// writeError answers with the problem in err; anything else is a bug.
func writeError(w http.ResponseWriter, err error) {
	var p *problem
	if !errors.As(err, &p) {
		panic(err)
	}
	p.write(w)
}

// reply is a successful answer. Status 0 is 200.
type reply struct {
	status int
	body   any
}

func (a reply) write(w http.ResponseWriter) {
	switch {
	case a.body == nil:
		w.WriteHeader(http.StatusNoContent)
	case a.status == 0:
		wire.JSON(w, http.StatusOK, a.body)
	default:
		wire.JSON(w, a.status, a.body)
	}
}
