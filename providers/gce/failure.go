package gce

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"google.golang.org/api/googleapi"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

var (
	// errUnreadable is an answer that is well-formed but not what the API answers.
	errUnreadable = errors.New("the answer lacks what was asked for")
	// errIncomplete is a search that did not reach all zones.
	errIncomplete = errors.New("some zones could not be reached")
	// errDoubt is an answer "not found" that may be about more than was asked for.
	errDoubt = errors.New("nothing is known of the instances of a project that cannot be read")
)

// throttling are the reasons of refusals because of too many requests, with status 403 or 429.
var throttling = []string{"rateLimitExceeded", "userRateLimitExceeded", "concurrentLimitExceeded"}

// classes are those of the other reasons that say more than their status.
var classes = map[string]cloud.Class{
	"quotaExceeded": cloud.FailureQuota, "limitExceeded": cloud.FailureQuota, "dailyLimitExceeded": cloud.FailureQuota,
	"resourceInUseByAnotherResource": cloud.FailureConflict, "resourceNotReady": cloud.FailureConflict,
	"conditionNotMet": cloud.FailureConflict, "alreadyExists": cloud.FailureConflict,
}

// Classify implements cloud.Driver.
func (d *Driver) Classify(err error) cloud.Failure {
	if failure := cloud.FailureOf(err); failure.Class != cloud.FailureUnknown {
		return failure
	}
	if _, ok := errors.AsType[*tokenError](err); ok {
		return cloud.Failure{Class: classOfToken(err)}
	}
	if refusal, ok := errors.AsType[*googleapi.Error](err); ok {
		return cloud.Failure{Class: classOf(refusal), RetryAfter: retryAfter(refusal.Header)}
	}
	if cloud.NoAnswer(err) || cloud.NoSense(err) || slices.ContainsFunc([]error{errUnreadable, errIncomplete, errDoubt}, func(known error) bool { return errors.Is(err, known) }) {
		return cloud.Failure{Class: cloud.FailureTransient}
	}
	return cloud.Failure{Class: cloud.FailureUnknown}
}

// reason is why the API refused a request, "" where something else answered.
func reason(refusal *googleapi.Error) string {
	if len(refusal.Errors) == 0 {
		return ""
	}
	return refusal.Errors[0].Reason
}

// classOf sorts a refusal by its reason, else by its status.
func classOf(refusal *googleapi.Error) cloud.Class {
	why := reason(refusal)
	if slices.Contains(throttling, why) {
		return cloud.FailureThrottled
	}
	if class, ok := classes[why]; ok {
		return class
	}
	if refusal.Code == http.StatusNotFound && why == "notFound" {
		return cloud.FailureNotFound
	}
	return classOfStatus(refusal.Code)
}

// classOfStatus sorts a status that says all. A 404 without a reason is what a proxy or a wrong
// endpoint answers, and proves nothing.
func classOfStatus(status int) cloud.Class {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return cloud.FailureUnauthorized
	case status == http.StatusTooManyRequests:
		return cloud.FailureThrottled
	case status == http.StatusRequestTimeout || status >= http.StatusInternalServerError:
		return cloud.FailureTransient
	case status == http.StatusConflict || status == http.StatusPreconditionFailed:
		return cloud.FailureConflict
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		return cloud.FailureInvalid
	default:
		return cloud.FailureUnknown
	}
}

// retryAfter is how long the API, or a proxy before it, asked us to wait.
func retryAfter(header http.Header) time.Duration {
	seconds, _ := strconv.Atoi(header.Get("Retry-After")) // a date, or nothing, is 0
	return time.Duration(max(seconds, 0)) * time.Second
}

// maxText is how much of a refusal is shown: the library quotes the page of a proxy whole.
const maxText = 400

// refused is a refusal of the API with what was to be done.
func refused(doing string, err error) error {
	if refusal, ok := errors.AsType[*googleapi.Error](err); ok {
		return &apiError{doing: doing, refusal: refusal}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

type apiError struct {
	doing   string
	refusal *googleapi.Error
}

func (e *apiError) Error() string {
	text := e.refusal.Message
	if len(text) > maxText {
		text = text[:maxText] + "…"
	}
	return fmt.Sprintf("%s: the API answered %d %s: %s", e.doing, e.refusal.Code, reason(e.refusal), text)
}

func (e *apiError) Unwrap() error { return e.refusal }
