// Package api makes requests: it authorizes them, joins pages and says what errors mean.
package api

import (
	"net/http"
	"net/url"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// New returns an API client on the kernel's transport, which limits, measures and
// bounds every request. Nothing is retried here.
func New(c cloud.Config, base *url.URL) (*godo.Client, error) {
	client := cloud.NewClient(&rebase{next: cloud.WithToken(c.Transport, config.EnvToken, c.Secret), base: base})
	return godo.New(client,
		godo.SetBaseURL(base.Scheme+"://"+base.Host+"/"),
		godo.SetUserAgent(c.UserAgent+" digitalocean-cloud-controller-manager-compatible"),
	)
}

// rebase puts the path of the base URL on every request. The API client would drop that path, because
// all its own paths are absolute.
type rebase struct {
	next http.RoundTripper
	base *url.URL
}

// RoundTrip implements http.RoundTripper.
func (r *rebase) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	target := r.base.JoinPath(req.URL.EscapedPath())
	target.RawQuery = req.URL.RawQuery
	req.URL = target
	return r.next.RoundTrip(req)
}
