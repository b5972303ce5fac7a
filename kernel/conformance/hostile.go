package conformance

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// refused are the classes of an answer that is none of the API's. They prove nothing.
var refused = []cloud.Class{cloud.FailureUnreadable, cloud.FailureTransient, cloud.FailureUnknown}

// hostile checks that no answer harms: none is taken for a good one or for "there is none",
// however large or deep it is, and none makes the driver send its credentials elsewhere.
func (s *suite) hostile(t *testing.T) {
	thief := newThief(t)
	shared := s.start(t)
	probes := shared.probes()
	limit := s.Descriptor.Limits.MaxAnswer()
	var all []failure
	for _, status := range []int{301, 302, 303, 307, 308} {
		fault := Fault{Status: status, Location: thief.server.URL + "/v1/list"}
		all = append(all, failure{fault.String() + " elsewhere", fault, []cloud.Class{cloud.FailureUnreadable}})
	}
	for name, body := range map[string]string{
		"200 and too long":       strings.Repeat(" ", limit+1),
		"200 and too many items": "[" + strings.Repeat("{},", limit/250),
		"200 and too deep":       strings.Repeat("[", limit/250),
		"200 and deep elements":  strings.Repeat("<a>", limit/60),
	} {
		all = append(all, failure{name, Fault{Status: http.StatusOK, Body: body}, refused})
	}
	for _, broken := range append(all, failure{"404 and too long", Fault{Status: http.StatusNotFound, Body: strings.Repeat("a", 1<<20)}, refused}) {
		t.Run(broken.name, func(t *testing.T) {
			f := shared.in(t)
			for _, p := range probes {
				f.fails(p, broken)
			}
		})
	}
	if got := thief.requests(); len(got) > 0 {
		t.Errorf("redirects were followed: %q", got)
	}
}

// thief is where redirects lead.
type thief struct {
	server *httptest.Server
	mu     sync.Mutex
	seen   []string
}

func newThief(t *testing.T) *thief {
	th := &thief{}
	th.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		th.mu.Lock()
		defer th.mu.Unlock()
		names := ""
		for name := range r.Header {
			names += " " + name
		}
		th.seen = append(th.seen, r.Method+" "+r.URL.Path+names)
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(th.server.Close)
	return th
}

func (th *thief) requests() []string {
	th.mu.Lock()
	defer th.mu.Unlock()
	return th.seen
}
