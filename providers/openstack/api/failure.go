package api

import (
	"errors"
	"net/http"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

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
		return classifyAnswer(answer)
	}
	if errors.Is(err, ErrNoProject) {
		return cloud.Failure{Class: cloud.FailureUnauthorized}
	}
	return cloud.OtherFailure(err)
}

// classifyAnswer sorts an error status, first by what the API says in the body.
func classifyAnswer(e gophercloud.ErrUnexpectedResponseCode) cloud.Failure {
	answer, class := readAnswer(e.Body), cloud.ClassOfStatus(e.Actual)
	switch {
	case answer.quota():
		class = cloud.FailureQuota
	case e.Actual == http.StatusNotFound && answer.missing():
		class = cloud.FailureNotFound
	case e.Actual == http.StatusNotImplemented: // Octavia says so of an option that its provider lacks
		class = cloud.FailureInvalid
	case e.Actual == http.StatusRequestEntityTooLarge:
		class = cloud.FailureThrottled
	}
	failure := cloud.Refusal(class, e.ResponseHeader)
	if class == cloud.FailureThrottled && failure.RetryAfter == 0 {
		failure.RetryAfter = answer.retryAfter()
	}
	return failure
}

// IsNotFound reports whether the API itself says that there is no such object.
func IsNotFound(err error) bool {
	return err != nil && Classify(err).Class == cloud.FailureNotFound
}

// ErrNoProject is a token that is good for nothing here.
var ErrNoProject = errors.New("the credentials are for no project: set tenant-id or tenant-name in [Global], project_id or project_name in the clouds.yaml")
