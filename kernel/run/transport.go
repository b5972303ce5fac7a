package run

import (
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
)

// TransportOptions configure NewTransport.
type TransportOptions struct {
	// Cloud is the name of the cloud entry, the label of all metrics.
	Cloud  string
	Limits cloud.Limits
	// QPS replaces the published limits when it is not 0.
	QPS float64
	// Metrics may be nil.
	Metrics metric.Sink
	// Mode is Live when "".
	Mode Mode
	// ReadOnly says which requests only read; by default those with method GET or HEAD.
	// It must not read the request's body.
	ReadOnly func(*http.Request) bool
	// UserAgent is for requests that have none.
	UserAgent string
}

// NewTransport returns the transport that carries every request to one cloud, and holds that
// cloud's rate limit: make one per credential. From the outside in:
//
//	readonly  in DryRun and Shadow a request that writes fails with *WriteRefused
//	limit     waits for the rate limit, by the priority of the context
//	measure   counts requests by operation and status code, without the wait
//	timeout   cloud.RequestTimeout until the last byte of the body
//	agent     User-Agent
//
// base is BaseTransport() when nil.
func NewTransport(base http.RoundTripper, o TransportOptions) http.RoundTripper {
	if base == nil {
		base = BaseTransport()
	}
	metrics := sink(o.Metrics)
	var t http.RoundTripper = &userAgent{next: base, value: o.UserAgent}
	t = &timeout{next: t}
	t = &measure{next: t, cloud: o.Cloud, metrics: metrics}
	t = &limit{next: t, cloud: o.Cloud, metrics: metrics, limiter: newLimiter(o.Limits, o.QPS)}
	if o.Mode.ReadOnly() {
		t = &readOnly{next: t, mode: o.Mode, reads: o.ReadOnly}
	}
	return t
}
