package gce

import (
	"errors"
	"net/http"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/discovery"
	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/wire"
)

// ruleHeader names the rule by hand that a refused request breaks; the real API has no such header.
const ruleHeader = "X-Emulator-Rule"

// problem is an error answer of the API.
type problem struct {
	status  int
	reason  string
	message string
	rule    string // of the table, "" for what the document says
}

func (p *problem) Error() string { return p.message }

// described is the answer to a request that the discovery document does not allow.
func described(p *discovery.Problem) *problem {
	reason := map[discovery.Cause]string{
		discovery.Unknown: "badRequest", discovery.Type: "badRequest", discovery.Value: "invalid", discovery.Output: "invalid", discovery.Required: "required",
	}[p.Cause]
	out := &problem{status: http.StatusBadRequest, reason: reason, message: p.Message}
	if p.Cause == discovery.Output {
		out.rule = "common/output-only"
	}
	return out
}

// codes are the canonical codes that newer answers repeat beside the status.
var codes = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 409: "ALREADY_EXISTS",
	412: "FAILED_PRECONDITION", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
}

// reasons are those of answers that a fault asks for by status alone.
var reasons = map[int]string{
	400: "invalid", 401: "authError", 403: "forbidden", 404: "notFound", 409: "alreadyExists", 412: "conditionNotMet",
	429: "rateLimitExceeded", 500: "internalError", 503: "backendError",
}

func (p *problem) body() map[string]any {
	domain := "global"
	if strings.HasSuffix(p.reason, "Exceeded") {
		domain = "usageLimits"
	}
	body := map[string]any{
		"code": p.status, "message": p.message,
		"errors": []any{map[string]any{"message": p.message, "domain": domain, "reason": p.reason}},
	}
	if code, ok := codes[p.status]; ok {
		body["status"] = code
	}
	return map[string]any{"error": body}
}

// refuse writes the API's usual error body for a status; faults use it.
func refuse(w http.ResponseWriter, _ *http.Request, status int) {
	reason, ok := reasons[status]
	switch {
	case !ok && status < http.StatusInternalServerError:
		reason = "invalid"
	case !ok:
		reason = "backendError"
	}
	wire.JSON(w, status, (&problem{status: status, reason: reason, message: http.StatusText(status)}).body())
}

// writeError answers with the problem in err; anything else is a bug.
func writeError(w http.ResponseWriter, err error) {
	var p *problem
	if !errors.As(err, &p) {
		panic(err)
	}
	if p.rule != "" {
		w.Header().Set(ruleHeader, p.rule)
	}
	wire.JSON(w, p.status, p.body())
}
