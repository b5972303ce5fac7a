package api

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

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
var exhausted = []string{"OverQuota", "IpAddressGenerationFailure", "ExternalIpAddressExhausted", "NoMoreIpAddresses"}

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
