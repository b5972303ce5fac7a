// Package api makes requests: it authorizes them, joins pages and says what errors mean.
package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// New returns an API client on the kernel's transport, which limits, measures and
// bounds every request. Nothing is retried here.
func New(c cloud.Config, base *url.URL) (*godo.Client, error) {
	client := &http.Client{
		Transport: &authorizer{next: c.Transport, secret: c.Secret, base: base},
		// A redirect is an answer of something that is not the API.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return godo.New(client,
		godo.SetBaseURL(base.Scheme+"://"+base.Host+"/"),
		godo.SetUserAgent(c.UserAgent+" digitalocean-cloud-controller-manager-compatible"),
	)
}

// authorizer puts the current token and the path of the base URL on every request. The
// API client would drop that path, because all its own paths are absolute.
type authorizer struct {
	next   http.RoundTripper
	secret func(string) (string, error)
	base   *url.URL
}

// RoundTrip implements http.RoundTripper.
func (a *authorizer) RoundTrip(req *http.Request) (*http.Response, error) {
	token, err := a.secret(config.EnvToken)
	if err != nil {
		closeBody(req)
		return nil, &TokenError{Err: err}
	}
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(token))
	target := a.base.JoinPath(req.URL.EscapedPath())
	target.RawQuery = req.URL.RawQuery
	req.URL = target
	return a.next.RoundTrip(req)
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// TokenError says that the token could not be read.
type TokenError struct{ Err error }

func (e *TokenError) Error() string { return fmt.Sprintf("reading %s: %v", config.EnvToken, e.Err) }

func (e *TokenError) Unwrap() error { return e.Err }
