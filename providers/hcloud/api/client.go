// Package api makes requests to the cloud API: it authorizes them, joins pages, follows actions and
// says what errors mean.
package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
	"github.com/hetznercloud/hcloud-go/v2/hcloud/schema"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
)

// New returns a client of the cloud API on the kernel's transport, which limits, measures and bounds
// every request. Nothing is retried here, and nothing waits.
func New(c cloud.Config, s config.Settings) *hcloud.Client {
	name, version, _ := strings.Cut(c.UserAgent, "/")
	return hcloud.NewClient(
		hcloud.WithHTTPClient(cloud.NewClient(cloud.WithToken(answers{c.Transport}, config.EnvToken, c.Secret))),
		hcloud.WithEndpoint(s.Endpoint.String()),
		hcloud.WithApplication(name, version),
		hcloud.WithRetryOpts(hcloud.RetryOpts{MaxRetries: 0}),
	)
}

// answers makes errors of answers that are not the API's: the client would keep of these nothing but a
// text.
type answers struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (a answers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.next.RoundTrip(request)
	if err != nil || response.StatusCode < http.StatusMultipleChoices {
		return response, err
	}
	return refusal(response)
}

// refusal returns an answer of the API with its body from the start, and an error for any other.
func refusal(response *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, err
	}
	var said schema.ErrorResponse
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") || json.Unmarshal(body, &said) != nil || said.Error.Code == "" {
		return nil, &StatusError{Status: response.StatusCode, Header: response.Header}
	}
	response.Body = io.NopCloser(strings.NewReader(string(body)))
	return response, nil
}

// StatusError is an answer without the error object of the API, such as that of a proxy.
type StatusError struct {
	Status int
	Header http.Header
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("something else than the API answered %d %s", e.Status, http.StatusText(e.Status))
}
