package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Failure is a refusal of the API.
type Failure struct {
	Status     int           `json:"-"`
	RetryAfter time.Duration `json:"-"`
	// Code tells failures of one status apart.
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (f *Failure) Error() string { return fmt.Sprintf("%s: %s", f.Code, f.Message) }

// Codes of failures.
const (
	CodeUnauthorized = "unauthorized"
	CodeNotFound     = "not_found"
	CodeConflict     = "conflict"
	CodeInvalid      = "invalid"
	CodeQuota        = "quota_exceeded"
	CodeThrottled    = "throttled"
	CodeInternal     = "internal"
	CodeNoSuchCall   = "no_such_call"
)

// NotFound says that there is no such object.
func NotFound(kind, id string) *Failure {
	return &Failure{Status: http.StatusNotFound, Code: CodeNotFound, Message: fmt.Sprintf("no %s %q", kind, id)}
}

// Conflict says that the present state does not allow it.
func Conflict(format string, args ...any) *Failure {
	return &Failure{Status: http.StatusConflict, Code: CodeConflict, Message: fmt.Sprintf(format, args...)}
}

// Invalid says what of a request can't be.
func Invalid(format string, args ...any) *Failure {
	return &Failure{Status: http.StatusUnprocessableEntity, Code: CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

// OverQuota says that the account has as many as it can have.
func OverQuota(what string, limit int) *Failure {
	return &Failure{Status: http.StatusForbidden, Code: CodeQuota, Message: fmt.Sprintf("this account can have %d %s", limit, what)}
}

// UsualCode is the code of failures with a status.
func UsualCode(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return CodeUnauthorized
	case http.StatusNotFound:
		return CodeNotFound
	case http.StatusConflict:
		return CodeConflict
	case http.StatusTooManyRequests:
		return CodeThrottled
	}
	if status < http.StatusInternalServerError {
		return CodeInvalid
	}
	return CodeInternal
}

// IsForTargets reports whether the API refuses a balancer for one of its targets.
func IsForTargets(err error) bool { return err != nil && strings.Contains(err.Error(), "targets[") }
