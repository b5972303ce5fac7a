package gce

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/api/googleapi"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/gce/token"
)

var (
	// errIncomplete is a search that did not reach all zones.
	errIncomplete = errors.New("some zones could not be reached")
	// errDoubt is an answer "not found" that may be about more than was asked for.
	errDoubt = errors.New("nothing is known of the instances of a project that cannot be read")
)

// throttling are the reasons of refusals because of too many requests, with status 403 or 429.
var throttling = []string{"ratelimitexceeded", "userratelimitexceeded", "concurrentlimitexceeded", "operationrateexceeded"}

// alreadyExists is the reason of the refusal of a second object of a name.
const alreadyExists = "alreadyexists"

// classes are those of the other reasons that say more than their status.
var classes = map[string]cloud.Class{
	"quotaexceeded": cloud.FailureQuota, "limitexceeded": cloud.FailureQuota, "dailylimitexceeded": cloud.FailureQuota,
	"inusebyanotherresource": cloud.FailureConflict, "notready": cloud.FailureConflict,
	"conditionnotmet": cloud.FailureConflict, alreadyExists: cloud.FailureConflict,
	"permissionserror": cloud.FailureUnauthorized, "internalerror": cloud.FailureTransient,
}

// canonical is a reason in the spelling that both of the API's have in common: refusals have "resourceNotReady", and
// operations that failed have "RESOURCE_NOT_READY".
func canonical(reason string) string {
	return strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(reason, "_", "")), "resource")
}

// Classify implements cloud.Account.
func (d *Driver) Classify(err error) cloud.Failure {
	if class, ok := token.ClassOf(err); ok {
		return cloud.Failure{Class: class}
	}
	if refusal, ok := errors.AsType[*googleapi.Error](err); ok {
		return cloud.Refusal(classOf(refusal), refusal.Header)
	}
	if errors.Is(err, errIncomplete) || errors.Is(err, errDoubt) {
		return cloud.Failure{Class: cloud.FailureTransient}
	}
	return cloud.OtherFailure(err)
}

// reason is why the API refused a request, "" where something else answered.
func reason(refusal *googleapi.Error) string {
	if len(refusal.Errors) == 0 {
		return ""
	}
	return refusal.Errors[0].Reason
}

// classOf sorts a refusal by its reason, else by its status. A 404 without a reason is what a proxy or a
// wrong endpoint answers.
func classOf(refusal *googleapi.Error) cloud.Class {
	why := canonical(reason(refusal))
	if slices.Contains(throttling, why) {
		return cloud.FailureThrottled
	}
	if class, ok := classes[why]; ok {
		return class
	}
	if refusal.Code == http.StatusNotFound && why == "notfound" {
		return cloud.FailureNotFound
	}
	return cloud.ClassOfStatus(refusal.Code)
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
