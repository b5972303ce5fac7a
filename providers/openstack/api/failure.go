package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

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

// answer is the body of an error, in the form of each of the APIs.
type answer struct {
	// Nova
	ItemNotFound *struct{} `json:"itemNotFound"`
	OverLimit    *struct {
		RetryAfter json.RawMessage `json:"retryAfter"`
	} `json:"overLimit"`
	// Neutron
	NeutronError *struct {
		Type string `json:"type"`
	} `json:"NeutronError"`
	// Keystone; others call theirs an error too, but have no title in it.
	Error struct {
		Title string `json:"title"`
	} `json:"error"`
	// Octavia
	FaultString string `json:"faultstring"`
	// Barbican, and everything in front of Neutron and Octavia that knows no such path; then
	// without a description.
	Title       string `json:"title"`
	Description string `json:"description"`
}

// readAnswer reads a body; one that is none of an API has nothing.
func readAnswer(body []byte) answer {
	var a answer
	if json.Unmarshal(body, &a) != nil {
		return answer{}
	}
	return a
}

// missing reports whether the API itself says that an object is not there. A proxy, or a wrong
// endpoint, says nothing about it, though most of them answer in JSON too.
func (a answer) missing() bool {
	switch {
	case a.NeutronError != nil:
		return a.NeutronError.Type != "HTTPNotFound" // no such path
	case a.ItemNotFound != nil:
		return true
	default:
		return a.FaultString != "" || a.Error.Title != "" || a.Title != "" && a.Description != ""
	}
}

// exhausted are the types of Neutron's errors for what there is no more of.
var exhausted = []string{"OverQuota", "IpAddressGenerationFailure", "ExternalIpAddressExhausted", "NoMoreIpAddresses", "RoutesExhausted"}

// quota reports whether there is no more of what was asked for. Octavia has no type for it, so
// the text has to do.
func (a answer) quota() bool {
	return a.NeutronError != nil && slices.Contains(exhausted, a.NeutronError.Type) ||
		strings.HasPrefix(a.FaultString, "Quota has been met")
}

// retryAfter reads how long to wait from Nova's body, 0 when it does not say.
func (a answer) retryAfter() time.Duration {
	if a.OverLimit == nil {
		return 0
	}
	wait, _ := cloud.ParseWait(strings.Trim(string(a.OverLimit.RetryAfter), `"`), time.Now())
	return wait
}
