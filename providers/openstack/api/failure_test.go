package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Bodies are those of real services of the 2022.2 and 2023.1 releases, where not said otherwise.
func TestClassesOfAnswers(t *testing.T) {
	const (
		proxy404   = `<html><body><h1>404 Not Found</h1></body></html>`
		unreadable = `{"`
	)
	tests := []struct {
		name   string
		status int
		body   string
		want   cloud.Class
	}{
		{"nova: no such machine", 404, `{"itemNotFound": {"code": 404, "message": "Instance 7e5d3a34-41cd-4c3f-8a4a-1c0a7ab6a3cb could not be found."}}`, cloud.FailureNotFound},
		{"nova: no such path", 404, `{"message": "The resource could not be found.<br /><br />\n\n\n", "code": "404 Not Found", "title": "Not Found"}`, cloud.FailureUnknown},
		{"nova: no such version", 300, `{"choices": []}`, cloud.FailureUnknown},
		{"neutron: no such network", 404, `{"NeutronError": {"type": "NetworkNotFound", "message": "Network nope could not be found.", "detail": ""}}`, cloud.FailureNotFound},
		{"neutron: no such path", 404, `{"NeutronError": {"type": "HTTPNotFound", "message": "The resource could not be found.", "detail": ""}}`, cloud.FailureUnknown},
		{"neutron: no such root", 404, `{"code": 404, "title": "Not Found", "description": null}`, cloud.FailureUnknown},
		{"octavia: no such balancer", 404, `{"faultcode": "Client", "faultstring": "Load Balancer nope not found.", "debuginfo": null}`, cloud.FailureNotFound},
		{"octavia: no such path", 404, `{"code": 404, "title": "Not Found", "description": ""}`, cloud.FailureUnknown},
		{"barbican: no such container", 404, `{"code": 404, "title": "Not Found", "description": "Not Found. Sorry but your container is in another castle."}`, cloud.FailureNotFound},
		{"keystone: no such token", 404, `{"error":{"code":404,"message":"Could not recognize Fernet token","title":"Not Found"}}`, cloud.FailureNotFound},
		{"a gateway's own 404", 404, `{"error": {"code": 404, "message": "no route matched"}}`, cloud.FailureUnknown},
		{"another gateway's own 404", 404, `{"error": "no route matched"}`, cloud.FailureUnknown},
		{"a proxy's 404", 404, proxy404, cloud.FailureUnknown},
		{"half a 404", 404, unreadable, cloud.FailureUnknown},
		{"401", 401, `{"error": {"code": 401, "title": "Unauthorized", "message": "The request you have made requires authentication."}}`, cloud.FailureUnauthorized},
		{"octavia: forbidden", 403, `{"faultcode": "Client", "faultstring": "Policy does not allow this request to be performed.", "debuginfo": null}`, cloud.FailureUnauthorized},
		{"octavia: quota", 403, `{"faultcode": "Client", "faultstring": "Quota has been met for resources: Load Balancer", "debuginfo": null}`, cloud.FailureQuota},
		{"neutron: quota", 409, `{"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: ['floatingip'].", "detail": ""}}`, cloud.FailureQuota},
		{"neutron: full router", 400, `{"NeutronError": {"type": "RoutesExhausted", "message": "Unable to complete operation for router: the number of routes exceeds the maximum 30.", "detail": ""}}`, cloud.FailureQuota},
		{"neutron: no address left", 409, `{"NeutronError": {"type": "IpAddressGenerationFailure", "message": "No more IP addresses available on network x.", "detail": ""}}`, cloud.FailureQuota},
		{"neutron: in use", 409, `{"NeutronError": {"type": "SecurityGroupInUse", "message": "Security Group x in use.", "detail": ""}}`, cloud.FailureConflict},
		{"octavia: busy", 409, `{"faultcode": "Client", "faultstring": "Load Balancer x is immutable and cannot be updated.", "debuginfo": null}`, cloud.FailureConflict},
		{"neutron: changed meanwhile", 412, `{"NeutronError": {"type": "RevisionNumberConstraintFailed", "message": "", "detail": ""}}`, cloud.FailureConflict},
		{"octavia: invalid", 400, `{"faultcode": "Client", "faultstring": "Invalid input for field/attribute protocol.", "debuginfo": null}`, cloud.FailureInvalid},
		{"octavia: the provider cannot", 501, `{"faultcode": "Server", "faultstring": "Provider 'ovn' does not support a requested option: x", "debuginfo": null}`, cloud.FailureInvalid},
		{"octavia: the provider failed", 500, `{"faultcode": "Server", "faultstring": "Provider 'amphora' reports error: x", "debuginfo": null}`, cloud.FailureTransient},
		{"unprocessable", 422, ``, cloud.FailureInvalid},
		{"throttled", 429, ``, cloud.FailureThrottled},
		{"nova: throttled, of old", 413, `{"overLimit": {"code": 413, "message": "", "retryAfter": 1}}`, cloud.FailureThrottled},
		{"gateway", 502, proxy404, cloud.FailureTransient},
		{"maintenance", 503, ``, cloud.FailureTransient},
		{"redirect", 302, ``, cloud.FailureUnknown},
		{"microversion", 406, ``, cloud.FailureUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := gophercloud.ErrUnexpectedResponseCode{Actual: tt.status, Body: []byte(tt.body)}
			for form, err := range map[string]error{
				"plain":         fmt.Errorf("reading: %w", err),
				"after renewal": fmt.Errorf("reading: %w", &gophercloud.ErrErrorAfterReauthentication{ErrOriginal: err}),
			} {
				if got := Classify(err).Class; got != tt.want {
					t.Errorf("%s: %s", form, got)
				}
			}
		})
	}
}

// Nova of old says in the body how long to wait.
func TestRetryAfter(t *testing.T) {
	for name, tt := range map[string]struct {
		header, body string
		want         time.Duration
	}{
		"none":           {"", "", 0},
		"header":         {"30", "", 30 * time.Second},
		"body":           {"", `{"overLimit": {"retryAfter": 7}}`, 7 * time.Second},
		"body with text": {"", `{"overLimit": {"retryAfter": "7.5"}}`, 7500 * time.Millisecond},
		"body of before": {"", `{"overLimit": {"retryAfter": "2026-01-02T03:05:05Z"}}`, 0},
		"header first":   {"1", `{"overLimit": {"retryAfter": 7}}`, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			e := gophercloud.ErrUnexpectedResponseCode{Actual: 429, Body: []byte(tt.body), ResponseHeader: http.Header{}}
			e.ResponseHeader.Set("Retry-After", tt.header)
			if got := classifyAnswer(e).RetryAfter; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestOtherErrors(t *testing.T) {
	for want, all := range map[cloud.Class][]error{
		cloud.FailureInvalid:   {fmt.Errorf("x: %w", &cloud.Invalid{})},
		cloud.FailureTransient: {fmt.Errorf("x: %w", cloud.ErrIncomplete)},
		cloud.FailureUnknown:   {errors.New("what"), gophercloud.ErrMissingInput{}},
	} {
		for _, err := range all {
			if got := Classify(err).Class; got != want {
				t.Errorf("%v: %s, want %s", err, got, want)
			}
		}
	}
}

func FuzzReadAnswer(f *testing.F) {
	f.Add(`{"itemNotFound": {}}`, "1")
	f.Add(`{"overLimit": {"retryAfter": "x"}}`, "")
	f.Fuzz(func(t *testing.T, body, retry string) {
		e := gophercloud.ErrUnexpectedResponseCode{Actual: 404, Body: []byte(body), ResponseHeader: http.Header{"Retry-After": {retry}}}
		if Classify(e).Class == cloud.FailureNotFound && !strings.Contains(body, "{") {
			t.Errorf("%q proves something absent", body)
		}
		e.Actual = 503
		if wait := Classify(e).RetryAfter; wait < 0 || wait > time.Hour {
			t.Errorf("%q, %q: wait %s", body, retry, wait)
		}
	})
}
