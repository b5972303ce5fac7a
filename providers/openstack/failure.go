package openstack

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// errUnreadable is an answer that is well-formed but not what the API answers.
var errUnreadable = errors.New("the answer of the API lacks what was asked for")

// Classify implements cloud.Driver.
func (d *Driver) Classify(err error) cloud.Failure { return classify(err) }

func classify(err error) cloud.Failure {
	if e, ok := errors.AsType[*gophercloud.ErrUnableToReauthenticate](err); ok {
		failure := classify(e.ErrReauth)
		if failure.Class != cloud.FailureTransient && failure.Class != cloud.FailureThrottled {
			failure.Class = cloud.FailureUnauthorized
		}
		return failure
	}
	// After a renewal of the token the answer that counts is the second.
	if answer, ok := errors.AsType[gophercloud.ErrUnexpectedResponseCode](err); ok {
		return classifyAnswer(answer, time.Now())
	}
	if failure := cloud.FailureOf(err); failure.Class != cloud.FailureUnknown {
		return failure
	}
	if errors.Is(err, errNoProject) {
		return cloud.Failure{Class: cloud.FailureUnauthorized}
	}
	if isTransient(err) {
		return cloud.Failure{Class: cloud.FailureTransient}
	}
	return cloud.Failure{Class: cloud.FailureUnknown}
}

// isTransient recognises what may be different the next time: no answer, or nonsense.
func isTransient(err error) bool {
	if cloud.NoAnswer(err) || errors.Is(err, errUnreadable) {
		return true
	}
	if _, ok := errors.AsType[*url.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return true
	}
	_, ok := errors.AsType[*json.UnmarshalTypeError](err)
	return ok
}

// classifyAnswer sorts an error status.
//
//	status             class
//	400 422 501        invalid; Octavia says 501 of an option its provider lacks
//	401                unauthorized
//	403                unauthorized, quota when Octavia says so
//	404                not found, when it is the API that says so
//	409 412 423        conflict, quota when Neutron says so
//	413 429            throttled
//	408 5xx            transient
func classifyAnswer(e gophercloud.ErrUnexpectedResponseCode, now time.Time) cloud.Failure {
	answer := readAnswer(e.Body)
	switch code := e.Actual; {
	case answer.quota():
		return cloud.Failure{Class: cloud.FailureQuota}
	case code == http.StatusBadRequest || code == http.StatusUnprocessableEntity || code == http.StatusNotImplemented:
		return cloud.Failure{Class: cloud.FailureInvalid}
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return cloud.Failure{Class: cloud.FailureUnauthorized}
	case code == http.StatusNotFound && answer.missing():
		return cloud.Failure{Class: cloud.FailureNotFound}
	case code == http.StatusConflict || code == http.StatusPreconditionFailed || code == http.StatusLocked:
		return cloud.Failure{Class: cloud.FailureConflict}
	case code == http.StatusTooManyRequests || code == http.StatusRequestEntityTooLarge:
		return cloud.Failure{Class: cloud.FailureThrottled, RetryAfter: answer.retryAfter(e.ResponseHeader, now)}
	case code == http.StatusRequestTimeout || code >= http.StatusInternalServerError:
		return cloud.Failure{Class: cloud.FailureTransient, RetryAfter: answer.retryAfter(e.ResponseHeader, now)}
	}
	return cloud.Failure{Class: cloud.FailureUnknown}
}
