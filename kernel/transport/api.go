package transport

import (
	"net/http"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport/rate"
)

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
