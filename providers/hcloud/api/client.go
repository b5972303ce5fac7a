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

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/config"
)

// New returns a client of the cloud API on the kernel's transport, which limits, measures and bounds
// every request. Nothing is retried here, and nothing waits.
func New(c cloud.Config, s config.Settings) *hcloud.Client {
	name, version, _ := strings.Cut(c.UserAgent, "/")
	return hcloud.NewClient(
		hcloud.WithHTTPClient(cloud.NewClient(cloud.WithToken(Answers{c.Transport}, config.EnvToken, c.Secret))),
		hcloud.WithEndpoint(s.Endpoint.String()),
		hcloud.WithApplication(name, version),
		hcloud.WithRetryOpts(hcloud.RetryOpts{MaxRetries: 0}),
	)
}

// Answers makes errors of answers that are not the API's, nor Robot's, such as those of a proxy: these begin with the same
// object, and the client would keep of others nothing but a text.
type Answers struct{ Next http.RoundTripper }

// RoundTrip implements http.RoundTripper. The body of an error is read whole, and there from its start.
func (a Answers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.Next.RoundTrip(request)
	if err != nil || response.StatusCode < http.StatusMultipleChoices {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, err
	}
	var said struct{ Error struct{ Code string } }
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") || json.Unmarshal(body, &said) != nil || said.Error.Code == "" {
		return nil, &cloud.Error{
			Failure: cloud.Refusal(cloud.ClassOfStranger(response.StatusCode), response.Header), Op: "something else than the API answered",
			Err: fmt.Errorf("%d %s", response.StatusCode, http.StatusText(response.StatusCode)),
		}
	}
	response.Body = io.NopCloser(strings.NewReader(string(body)))
	return response, nil
}
