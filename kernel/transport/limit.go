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
	start := time.Now()
	api, limiter := l.apis.of(request)
	err := limiter.Wait(ctx, priority)
	sent := time.Now()
	l.metrics.Observe(metric.LimiterWaitSeconds, sent.Sub(start).Seconds(), l.cloud, api, rate.LaneName(priority))
	if err != nil {
		closeBody(request)
		return nil, err
	}
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
	limiter.Observe(sent, advice)
	return response, nil
}
