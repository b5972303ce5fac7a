package robot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Codes of refusals.
const (
	codeRateLimit    = "RATE_LIMIT_EXCEEDED"
	codeUnauthorized = "UNAUTHORIZED"
	// codeNoServer is also the answer to a list of an account without servers.
	codeNoServer = "SERVER_NOT_FOUND"
	// codeNoReset is of servers that cannot be reset, and so tell nothing of their power.
	codeNoReset = "RESET_NOT_AVAILABLE"
)

// Error is a refusal. Without Code it is one of something else, such as a proxy.
type Error struct {
	Status  int
	Code    string
	Message string
	header  http.Header
}

func (e *Error) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("something else than Robot answered %d %s", e.Status, http.StatusText(e.Status))
	}
	return fmt.Sprintf("Robot answered %d: %s (%s)", e.Status, e.Message, e.Code)
}

func refusal(response *http.Response) error {
	// The kernel's transport has read the body of an error already.
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	e := &Error{Status: response.StatusCode, header: response.Header}
	var answer struct {
		Error struct{ Code, Message string }
	}
	if json.Unmarshal(body, &answer) == nil {
		e.Code, e.Message = answer.Error.Code, answer.Error.Message
	}
	return e
}

// LockPause is how long requests wait after the limit was used up: the account stays locked for the rest
// of the hour, and each request before its end may prolong that.
const LockPause = 5 * time.Minute

// Classify says what a refusal means; ok is false for any other error.
func Classify(err error) (f cloud.Failure, ok bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return cloud.Failure{}, false
	}
	switch e.Code {
	case codeRateLimit:
		return cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: LockPause}, true
	case codeNoServer:
		return cloud.Failure{Class: cloud.FailureNotFound}, true
	case codeUnauthorized:
		return cloud.Failure{Class: cloud.FailureUnauthorized}, true
	}
	if e.Code == "" {
		return cloud.Refusal(cloud.ClassOfStranger(e.Status), e.header), true
	}
	return cloud.Refusal(cloud.ClassOfStatus(e.Status), e.header), true
}

// Throttled recognises the answer that says with the status 403 that the rate limit is used up.
func Throttled(response *http.Response) bool {
	if response.StatusCode != http.StatusForbidden {
		return false
	}
	body, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(body))
	var answer struct{ Error struct{ Code string } }
	return err == nil && json.Unmarshal(body, &answer) == nil && answer.Error.Code == codeRateLimit
}
