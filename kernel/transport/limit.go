package transport

import (
	"net/http"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport/rate"
)

// limit makes requests wait for the rate limit, and tells the limiter what the answers say
// about it.
type limit struct {
	next    http.RoundTripper
	cloud   string
	metrics metric.Sink
	apis    *apis
	// throttled is Options.Throttled.
	throttled func(*http.Response) bool
}

func (l *limit) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	priority := cloud.PriorityOf(ctx)
	cloud.CountRequest(ctx)
	start := time.Now()
	api, limiter := l.apis.of(request)
	err := limiter.Wait(ctx, rate.Request{Priority: priority, Tenant: cloud.TenantOf(ctx), Call: rate.CallOf(ctx)})
	sent := time.Now()
	l.metrics.Observe(metric.LimiterWaitSeconds, sent.Sub(start).Seconds(), l.cloud, api, rate.Label(priority))
	if err != nil {
		closeBody(request)
		return nil, err
	}
	answered := false
	defer func() {
		if !answered { // it failed, or the driver's code panicked
			limiter.Lost()
		}
	}()
	response, err := l.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	advice := rate.ReadAdvice(response, time.Now())
	if l.throttled != nil && l.throttled(response) {
		advice.Pause = max(advice.Pause, firstBackoff, limiter.LeastPause)
	}
	if advice.HasRemaining {
		l.metrics.Set(metric.RateRemaining, float64(advice.Remaining), l.cloud, api)
	}
	answered = true
	limiter.Observe(sent, advice)
	return response, nil
}

// apis are the rate limits of a cloud: one for each API that it limits apart, and one for the rest.
type apis struct {
	choose func(*http.Request) string
	named  map[string]*rate.Limiter
	rest   *rate.Limiter
}

func newAPIs(o Options) *apis {
	a := &apis{choose: o.API, named: map[string]*rate.Limiter{}, rest: rate.NewLimiter(o.Limits, o.QPS)}
	for _, api := range o.Limits.APIs {
		a.named[api.Name] = rate.ForAPI(api, o.QPS)
	}
	return a
}

// of returns the name and the limit of the API that a request is of. The name is "" for one of no
// API that is declared, where the limit is that of the rest.
func (a *apis) of(request *http.Request) (string, *rate.Limiter) {
	if a.choose == nil {
		return "", a.rest
	}
	name := a.choose(request)
	if limiter, declared := a.named[name]; declared {
		return name, limiter
	}
	return "", a.rest
}
