package api

import (
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// ErrUnreadable is an answer that is well-formed but not what the API answers: an object or
// a list is missing from it.
var ErrUnreadable = errors.New("the answer of the API lacks the object that was asked for")

// Classify says what an error of the API means.
func Classify(err error) cloud.Failure {
	if answer, ok := errors.AsType[*godo.ErrorResponse](err); ok {
		return classifyAnswer(answer)
	}
	if failure := cloud.FailureOf(err); failure.Class != cloud.FailureUnknown {
		return failure
	}
	if _, ok := errors.AsType[*TokenError](err); ok {
		return cloud.Failure{Class: cloud.FailureUnauthorized}
	}
	if cloud.NoAnswer(err) || cloud.NoSense(err) || errors.Is(err, ErrUnreadable) {
		return cloud.Failure{Class: cloud.FailureTransient}
	}
	return cloud.Failure{Class: cloud.FailureUnknown}
}

// classifyAnswer sorts an error status of the API.
func classifyAnswer(e *godo.ErrorResponse) cloud.Failure {
	if e.Response == nil {
		return cloud.Failure{Class: cloud.FailureUnknown}
	}
	switch code := e.Response.StatusCode; {
	case code == http.StatusTooManyRequests:
		return cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: RetryAfter(e.Response.Header, time.Now())}
	case code == http.StatusNotFound:
		return cloud.Failure{Class: notFound(e.Response.Header)}
	case code == http.StatusRequestTimeout || code >= 500:
		return cloud.Failure{Class: cloud.FailureTransient, RetryAfter: RetryAfter(e.Response.Header, time.Now())}
	case code == http.StatusConflict || code == http.StatusPreconditionFailed || code == http.StatusLocked:
		return cloud.Failure{Class: cloud.FailureConflict}
	case code == http.StatusUnauthorized:
		return cloud.Failure{Class: cloud.FailureUnauthorized}
	case code == http.StatusForbidden || code == http.StatusUnprocessableEntity || code == http.StatusBadRequest:
		return cloud.Failure{Class: refused(code, e.Message)}
	}
	return cloud.Failure{Class: cloud.FailureUnknown}
}

// notFound trusts a 404 only from the API itself, which always answers JSON. A proxy or a
// wrong base URL says nothing about the object.
func notFound(header http.Header) cloud.Class {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if kind == "application/json" {
		return cloud.FailureNotFound
	}
	return cloud.FailureUnknown
}

// refused tells the refusals apart that share a status. The API has no codes for them, so
// the message has to do; what is not recognised has the class of its status.
func refused(code int, message string) cloud.Class {
	message = strings.ToLower(message)
	switch {
	case strings.Contains(message, "previous action"), strings.Contains(message, "pending"):
		return cloud.FailureConflict
	case strings.Contains(message, "limit") && (strings.Contains(message, "exceed") || strings.Contains(message, "reach")),
		strings.Contains(message, "quota"),
		strings.Contains(message, "once per hour"), strings.Contains(message, "once every hour"):
		return cloud.FailureQuota
	case code == http.StatusForbidden:
		return cloud.FailureUnauthorized
	}
	return cloud.FailureInvalid
}

// RetryAfter reads how long to wait: Retry-After (seconds or a date), else the time at
// which an exhausted quota is filled again. 0 means the API did not say.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return max(0, time.Duration(min(seconds, maxWaitSeconds))*time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	reset, err := strconv.ParseInt(header.Get("RateLimit-Reset"), 10, 64)
	if err != nil || header.Get("RateLimit-Remaining") != "0" {
		return 0
	}
	return min(max(0, time.Unix(reset, 0).Sub(now)), maxWaitSeconds*time.Second)
}

// maxWaitSeconds is the window of the hourly quota: nothing has to wait longer.
const maxWaitSeconds = 3600

// IsNotFound reports whether the API has no such object.
func IsNotFound(err error) bool {
	return err != nil && Classify(err).Class == cloud.FailureNotFound
}
