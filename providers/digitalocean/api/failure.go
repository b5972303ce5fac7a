package api

import (
	"errors"
	"mime"
	"net/http"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Classify says what an error of the API means.
func Classify(err error) cloud.Failure {
	if answer, ok := errors.AsType[*godo.ErrorResponse](err); ok && answer.Response != nil {
		return cloud.Refusal(classOf(answer.Response, answer.Message), answer.Response.Header)
	}
	return cloud.OtherFailure(err)
}

// classOf sorts an error status of the API.
func classOf(answer *http.Response, message string) cloud.Class {
	switch code := answer.StatusCode; code {
	case http.StatusNotFound:
		return notFound(answer.Header)
	case http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusBadRequest:
		return refused(code, message)
	default:
		return cloud.ClassOfStatus(code)
	}
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
	}
	return cloud.ClassOfStatus(code)
}

// IsNotFound reports whether the API has no such object.
func IsNotFound(err error) bool {
	return err != nil && Classify(err).Class == cloud.FailureNotFound
}
