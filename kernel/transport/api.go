package transport

import (
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// apis are the rate limits of a cloud: one for each API that it limits apart, and one for the rest.
type apis struct {
	choose func(*http.Request) string
	named  map[string]*limiter
	rest   *limiter
}

func newAPIs(o Options) *apis {
	a := &apis{choose: o.API, named: map[string]*limiter{}, rest: newLimiter(o.Limits, o.QPS)}
	for _, api := range o.Limits.APIs {
		limits := cloud.Limits{RequestsPerHour: api.RequestsPerHour, RequestsPerMinute: api.RequestsPerMinute}
		a.named[api.Name] = &limiter{budget: newBudget(limits, 0).atMost(o.QPS), rate: 1, pause: api.Pause}
	}
	return a
}

// of returns the name and the limit of the API that a request is of. The name is "" for one of no
// API that is declared, where the limit is that of the rest.
func (a *apis) of(request *http.Request) (string, *limiter) {
	if a.choose == nil {
		return "", a.rest
	}
	name := a.choose(request)
	if limiter, declared := a.named[name]; declared {
		return name, limiter
	}
	return "", a.rest
}
