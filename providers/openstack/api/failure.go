package api

import (
	"errors"
	"net/http"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// ErrUnreadable is an answer that is well-formed but not what the API answers.
var ErrUnreadable = errors.New("the answer of the API lacks what was asked for")

// Classify sorts an error by what the API says.
func Classify(err error) cloud.Failure {
	if e, ok := errors.AsType[*gophercloud.ErrUnableToReauthenticate](err); ok {
		failure := Classify(e.ErrReauth)
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
	if errors.Is(err, ErrNoProject) {
		return cloud.Failure{Class: cloud.FailureUnauthorized}
	}
	if cloud.NoAnswer(err) || cloud.NoSense(err) || errors.Is(err, ErrUnreadable) {
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

// IsNotFound reports whether the API itself says that there is no such object.
func IsNotFound(err error) bool {
	return err != nil && Classify(err).Class == cloud.FailureNotFound
}

// ErrNoProject is a token that is good for nothing here.
var ErrNoProject = errors.New("the credentials are for no project: set tenant-id or tenant-name in [Global], project_id or project_name in the clouds.yaml")
