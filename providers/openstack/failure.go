package openstack

import (
	"errors"
	"net/http"
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
	if cloud.NoAnswer(err) || cloud.NoSense(err) || errors.Is(err, errUnreadable) {
		return cloud.Failure{Class: cloud.FailureTransient}
	}
	return cloud.Failure{Class: cloud.FailureUnknown}
}

// classes are those of a status by itself. Octavia answers 501 to an option its provider lacks.
var classes = map[int]cloud.Class{
	http.StatusBadRequest:            cloud.FailureInvalid,
	http.StatusUnprocessableEntity:   cloud.FailureInvalid,
	http.StatusNotImplemented:        cloud.FailureInvalid,
	http.StatusUnauthorized:          cloud.FailureUnauthorized,
	http.StatusForbidden:             cloud.FailureUnauthorized,
	http.StatusConflict:              cloud.FailureConflict,
	http.StatusPreconditionFailed:    cloud.FailureConflict,
	http.StatusLocked:                cloud.FailureConflict,
	http.StatusTooManyRequests:       cloud.FailureThrottled,
	http.StatusRequestEntityTooLarge: cloud.FailureThrottled,
	http.StatusRequestTimeout:        cloud.FailureTransient,
}

// classifyAnswer sorts an error status, first by what the API says in the body.
func classifyAnswer(e gophercloud.ErrUnexpectedResponseCode, now time.Time) cloud.Failure {
	answer := readAnswer(e.Body)
	class, known := classes[e.Actual]
	switch {
	case answer.quota():
		class = cloud.FailureQuota
	case e.Actual == http.StatusNotFound && answer.missing():
		class = cloud.FailureNotFound
	case !known && e.Actual >= http.StatusInternalServerError:
		class = cloud.FailureTransient
	case !known:
		class = cloud.FailureUnknown
	}
	failure := cloud.Failure{Class: class}
	if class == cloud.FailureThrottled || class == cloud.FailureTransient {
		failure.RetryAfter = answer.retryAfter(e.ResponseHeader, now)
	}
	return failure
}
