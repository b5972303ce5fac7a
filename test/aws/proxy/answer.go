package proxy

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// answer asks the cloud, unless the call is among those to throttle.
func (p *Proxy) answer(w http.ResponseWriter, r *http.Request) {
	call := called(r)
	if p.takesTooMuch() {
		refuse(w, r, http.StatusTooManyRequests)
		return
	}
	if p.quota.exceeds(call) {
		w.Header().Set("Content-Type", "text/xml")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(Error("TooManyTargets", "The maximum number of targets per target group has been reached")))
		return
	}
	asked := p.shorten(call.Parameters)
	fleet := p.fleet.Load() > 0 && call.Service == Compute && strings.HasPrefix(call.Action, "DescribeInstance")
	if fleet {
		call.Parameters = asked
		asked = one(asked)
	}
	answer, err := p.ask(r, asked)
	if err != nil {
		refuse(w, r, http.StatusServiceUnavailable)
		return
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		refuse(w, r, http.StatusServiceUnavailable)
		return
	}
	if fleet {
		said = multiply(said, call, int(p.fleet.Load()))
	}
	w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(said) // it is buffered
}

// ask sends a call on, with these parameters.
func (p *Proxy) ask(r *http.Request, parameters url.Values) (*http.Response, error) {
	body := parameters.Encode()
	out := r.Clone(r.Context())
	out.Method, out.URL = http.MethodPost, &url.URL{Path: "/"}
	out.Body, out.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	out.Header.Del("Accept-Encoding")
	return p.cloud.RoundTrip(out)
}

// takesTooMuch spreads the share over the calls so that every run of them occurs.
func (p *Proxy) takesTooMuch() bool {
	share := p.share.Load()
	if share == 0 {
		return false
	}
	// The finalizer of splitmix64 makes a number of a count that looks like chance.
	n := uint64(p.throttled.Add(1)) * 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return (n^n>>31)%100 < uint64(share)
}

// shorten asks for no larger pages than the proxy has.
func (p *Proxy) shorten(parameters url.Values) url.Values {
	most := p.page.Load()
	for _, name := range []string{"MaxResults", "PageSize"} {
		asked, err := strconv.ParseInt(parameters.Get(name), 10, 64)
		if err == nil && most > 0 && asked > most {
			parameters.Set(name, strconv.FormatInt(most, 10))
		}
	}
	return parameters
}
