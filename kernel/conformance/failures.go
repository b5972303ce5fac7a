package conformance

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// retryAfter is what throttled answers ask for.
const retryAfter = 7 * time.Second

// failure is one way to go wrong and what Classify may say about it.
type failure struct {
	name  string
	fault Fault
	want  []cloud.Class
}

// documented are the failures every HTTP API has.
var documented = []failure{
	{"401", Fault{Status: http.StatusUnauthorized}, []cloud.Class{cloud.FailureUnauthorized}},
	{"404", Fault{Status: http.StatusNotFound}, []cloud.Class{cloud.FailureNotFound}},
	{"409", Fault{Status: http.StatusConflict}, []cloud.Class{cloud.FailureConflict}},
	{"422", Fault{Status: http.StatusUnprocessableEntity}, []cloud.Class{cloud.FailureInvalid}},
	{"429", Fault{Status: http.StatusTooManyRequests, RetryAfter: retryAfter}, []cloud.Class{cloud.FailureThrottled}},
	{"500", Fault{Status: http.StatusInternalServerError}, []cloud.Class{cloud.FailureTransient}},
	{"502 with a page", Fault{Status: http.StatusBadGateway, Body: "<html>bad gateway</html>"}, []cloud.Class{cloud.FailureTransient}},
	{"503", Fault{Status: http.StatusServiceUnavailable}, []cloud.Class{cloud.FailureTransient}},
	{"hung", Fault{Hang: true}, []cloud.Class{cloud.FailureTransient}},
	{"truncated body", Fault{Truncate: true}, []cloud.Class{cloud.FailureTransient, cloud.FailureUnknown}},
	{"lost answer", Fault{Lost: true}, []cloud.Class{cloud.FailureTransient, cloud.FailureUnknown}},
	{"200 with nonsense", Fault{Nonsense: true}, []cloud.Class{cloud.FailureTransient, cloud.FailureUnknown}},
	{"200 with {}", Fault{Blank: true}, []cloud.Class{cloud.FailureTransient, cloud.FailureUnknown}},
}

// probe is one call of the driver that gets a broken answer.
type probe struct {
	name string
	// call reports whether the answer was a clean "not there" besides the error.
	call func(ctx context.Context) (absent bool, err error)
	kind kind
}

// kind says what a call makes of special answers.
type kind int

const (
	other kind = iota
	// look is for one object, for which a 404 is an answer.
	look
	// write may succeed on an answer that says nothing, or, where it was carried out, on half of
	// one: the kernel observes again.
	write
)

// probes prepares a machine and a balancer and returns calls about them.
func (f *fixture) probes() []probe {
	id := f.control.AddMachine("node-1")
	instances := f.driver.Machines
	all := []probe{
		{"Identity", func(ctx context.Context) (bool, error) { _, err := f.driver.Identity(ctx); return false, err }, other},
		{"List", func(ctx context.Context) (bool, error) {
			list, err := instances.List(ctx)
			return err == nil && list.Complete && len(list.Items) == 0, err
		}, other},
		{"Get", func(ctx context.Context) (bool, error) {
			found, err := instances.Get(ctx, id)
			return err == nil && len(found) == 0, err
		}, look},
		{"FindByName", func(ctx context.Context) (bool, error) {
			found, err := instances.FindByName(ctx, "node-1")
			return err == nil && len(found) == 0, err
		}, other},
	}
	if f.suite.Descriptor.Capabilities.Balancers {
		all = append(all, balancerProbes(f)...)
	}
	if routes := f.driver.Routes; routes != nil {
		route := f.aimed(cloud.Route{Destination: netip.MustParsePrefix("10.244.9.0/24"), Target: id, NodeUID: nodeUID(9)})
		all = append(all, probe{"ListRoutes", func(ctx context.Context) (bool, error) {
			listed, err := routes.ListRoutes(ctx, owner)
			return err == nil && len(listed) == 0, err
		}, other}, probe{"CreateRoute", func(ctx context.Context) (bool, error) {
			return false, routes.CreateRoute(ctx, owner, route)
		}, write})
	}
	return all
}

func balancerProbes(f *fixture) []probe {
	known, _ := f.ensure(f.spec(basic))
	unknown := known
	unknown.ID = ""
	fresh := f.difference(f.spec(Service{Name: "fresh", Ports: []cloud.Port{portDNST}}))
	more := known
	more.Ports = append(slices.Clone(known.Ports), portDNST)
	wider := f.difference(more)
	observe := func(in cloud.Input) func(ctx context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) {
			observed, err := f.balancers().Observe(ctx, in)
			return err == nil && !observed.Found, err
		}
	}
	apply := func(change cloud.Change) func(ctx context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) {
			_, err := f.balancers().Apply(ctx, change)
			return false, err
		}
	}
	creation := cloud.Change{
		Input: fresh.input, Before: fresh.before, After: &fresh.after, Operations: []cloud.Operation{{Verb: cloud.Create, Kind: cloud.KindBalancer}},
	}
	// Not a deletion: to be told that what is to be deleted is not there is as good as success.
	update := cloud.Change{Input: wider.input, Before: wider.before, After: &wider.after, Operations: wider.operations}
	return []probe{
		{"Observe by id", observe(known), look},
		{"Observe without id", observe(unknown), look},
		{"create", apply(creation), write},
		{"update", apply(update), write},
	}
}

// failures checks that no broken answer is taken for a good one, above all not for "there
// is none", and that each gets the right class. Requests that are not carried out leave the cloud
// as it is, so those failures share one.
func (s *suite) failures(t *testing.T) {
	all := slices.Clone(documented)
	for name, extra := range s.Errors {
		all = append(all, failure{name, extra.Fault, []cloud.Class{extra.Want}})
	}
	shared := s.start(t)
	probes := shared.probes()
	for _, broken := range all {
		t.Run(broken.name, func(t *testing.T) {
			f, probes := shared.in(t), probes
			if broken.fault.acts() {
				f = s.start(t)
				probes = f.probes()
			}
			for _, p := range probes {
				fails(f, p, broken)
			}
		})
	}
	t.Run("drivers never retry", s.neverRetry)
}

func fails(f *fixture, p probe, broken failure) {
	f.Helper()
	f.control.Fail(broken.fault, 0)
	defer f.control.Heal()
	limit := patience
	if broken.fault.Hang {
		limit = 200 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(f.Context(), limit)
	defer cancel()
	began := time.Now()
	absent, err := p.call(ctx)
	if took := time.Since(began); took > limit+patience/2 {
		f.Errorf("%s returned %s after its deadline", p.name, took-limit)
	}
	class := classOf(f, err)
	switch {
	case absent && p.kind == look && slices.Contains(broken.want, cloud.FailureNotFound):
	case absent:
		f.Errorf("%s took the broken answer for \"not there\"", p.name)
	case err == nil && p.kind == write && (broken.fault.Blank || broken.fault.Truncate):
	case err == nil:
		f.Errorf("%s succeeded", p.name)
	case !slices.Contains(broken.want, class):
		f.Errorf("%s: class %q of %q, want one of %q", p.name, class, err, broken.want)
	case f.driver.Classify(err).RetryAfter != broken.fault.RetryAfter:
		f.Errorf("%s: RetryAfter = %s, want %s", p.name, f.driver.Classify(err).RetryAfter, broken.fault.RetryAfter)
	}
}

// classOf is what the kernel takes an error for: what it makes itself of a lack of an answer,
// no driver has to.
func classOf(f *fixture, err error) cloud.Class {
	class := f.driver.Classify(err).Class
	if class == cloud.FailureUnknown && cloud.NoAnswer(err) {
		return cloud.FailureTransient
	}
	return class
}

func (s *suite) neverRetry(t *testing.T) {
	f := s.start(t)
	id := f.control.AddMachine("node-1")
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests} {
		f.control.Fail(Fault{Status: status}, 0)
		before, _ := f.control.Requests()
		if _, err := f.driver.Machines.Get(f.ctx(), id); err == nil {
			t.Errorf("Get succeeded in spite of a %d", status)
		}
		f.control.Heal()
		if after, _ := f.control.Requests(); after-before != 1 {
			t.Errorf("Get answered with %d made %d requests: retries are the kernel's business", status, after-before)
		}
	}
}

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
				fails(f, p, broken)
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
