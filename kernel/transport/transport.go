// Package transport carries every request to a cloud: the rate limits of its APIs with priorities, the time
// limit of a request, answers of bounded size, no redirects, no writes in a dry run. SDKs get it as their
// http.RoundTripper, so that no driver has any of this.
package transport

import (
	"crypto/tls"
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// Options configure New.
type Options struct {
	// Cloud is the name of the cloud entry, the label of all metrics.
	Cloud  string
	Limits cloud.Limits
	// QPS replaces the published limits when it is not 0, but not those of Limits.APIs.
	QPS float64
	// API says which of Limits.APIs a request is of, see registry.Provider; nil for none.
	API func(*http.Request) string
	// Metrics may be nil.
	Metrics metric.Sink
	// DryRun lets only requests pass that read.
	DryRun bool
	// ReadOnly says which requests only read; by default those with method GET or HEAD.
	// It must not read the request's body.
	ReadOnly func(*http.Request) bool
	// Throttled recognises answers that say with another status than 429 that the request was one
	// too many, and that it was not carried out. It may read the body if it leaves another in its
	// place. None are when nil.
	Throttled func(*http.Response) bool
	// Warn is told of credentials that an API refuses and that are not used again for a while, see
	// cloud.API.Refused. It may be nil.
	Warn func(message string)
	// UserAgent is for requests that have none.
	UserAgent string
}

// Transport carries every request to one cloud.
type Transport struct {
	http.RoundTripper
	base http.RoundTripper
	wrap func(base http.RoundTripper) http.RoundTripper
}

// New returns the transport that carries every request to one cloud, and holds that
// cloud's rate limits, one for each of its APIs: make one per credential. From the outside in:
//
//	readonly  with DryRun a request that writes fails with *WriteRefused
//	keep      answers what cloud.API.Keep and Refused say, with a store for each base
//	repeat    sends again what Throttled recognises
//	limit     waits for the rate limit, by the priority of the context
//	redirect  an answer that leads elsewhere fails with *cloud.Unreadable
//	answer    a body larger than Limits.MaxAnswer fails with *cloud.Unreadable
//	measure   counts requests by operation and status code, without the wait
//	timeout   cloud.RequestTimeout until the last byte of the body
//	agent     User-Agent
//
// base is Base() when nil.
func New(base http.RoundTripper, o Options) *Transport {
	if base == nil {
		base = Base()
	}
	metrics, apis := metric.OrDiscard(o.Metrics), newAPIs(o)
	wrap := func(base http.RoundTripper) http.RoundTripper {
		var t http.RoundTripper = &userAgent{next: base, value: o.UserAgent}
		t = &timeout{next: t}
		t = &measure{next: t, cloud: o.Cloud, metrics: metrics, apis: apis}
		t = Guard(t, o.Limits)
		t = &limit{next: t, cloud: o.Cloud, metrics: metrics, apis: apis, throttled: o.Throttled}
		if o.Throttled != nil {
			t = &repeat{next: t, throttled: o.Throttled}
		}
		if k := newKeep(t, apis, o); len(k.stores) > 0 {
			t = k
		}
		if o.DryRun {
			t = &readOnly{next: t, reads: o.ReadOnly}
		}
		return t
	}
	return &Transport{RoundTripper: wrap(base), base: base, wrap: wrap}
}

// WithTLS implements cloud.Config.WithTLS. A base that makes no connections itself, such as
// that of a test, stays as it is.
func (t *Transport) WithTLS(settings *tls.Config) http.RoundTripper {
	base, ok := t.base.(*http.Transport)
	if !ok {
		return t.RoundTripper
	}
	settings = settings.Clone()
	if settings.MinVersion == 0 {
		settings.MinVersion = tls.VersionTLS12
	}
	base = base.Clone()
	base.TLSClientConfig = settings
	return t.wrap(base)
}
