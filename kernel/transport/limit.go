package transport

import (
	"net/http"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/metric"
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
	start := time.Now()
	api, limiter := l.apis.of(request)
	err := limiter.wait(ctx, priority)
	sent := time.Now()
	l.metrics.Observe(metric.LimiterWaitSeconds, sent.Sub(start).Seconds(), l.cloud, api, laneName(priority))
	if err != nil {
		closeBody(request)
		return nil, err
	}
	response, err := l.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	advice := readAdvice(response, time.Now())
	if l.throttled != nil && l.throttled(response) {
		advice.pause = max(advice.pause, firstBackoff, limiter.pause)
	}
	if advice.hasRemaining {
		l.metrics.Set(metric.RateRemaining, float64(advice.remaining), l.cloud, api)
	}
	limiter.observe(sent, advice)
	return response, nil
}
