package openstack

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gophercloud/gophercloud/v2"
	"gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"
	"gopkg.in/dnaeon/go-vcr.v4/pkg/recorder"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/config"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/session"
)

var record = flag.Bool("record", false, "ask the OpenStack of OS_AUTH_URL and record its answers in testdata")

// lab is a driver and a cloud: with -record a real one, else its recorded answers. Only what
// the driver asks is recorded. What a test does to the cloud itself happens while recording,
// and what it has to know of that are facts, recorded beside the answers.
type lab struct {
	*testing.T
	driver *Driver
	// world is the real cloud, nil in a replay.
	world    *world
	facts    map[string]string
	requests []string
	// before runs before the next request that it names, "METHOD path".
	before map[string]func()
	// limit is the largest page this cloud serves.
	limit string
	// fail is a request that fails on its way.
	fail string
}

const localhost = "http://127.0.0.1"

// newLab starts with an empty project.
func newLab(t *testing.T, config config.Config) *lab {
	t.Helper()
	l := &lab{T: t, limit: "2", facts: map[string]string{}, before: map[string]func(){}}
	path := filepath.Join("testdata", t.Name())
	mode := recorder.ModeReplayOnly
	if *record {
		mode, l.world = recorder.ModeRecordOnly, newWorld(t)
	} else {
		raw, err := os.ReadFile(path + ".facts.json")
		l.must(err)
		l.must(json.Unmarshal(raw, &l.facts))
	}
	tape, err := recorder.New(path, recorder.WithMode(mode), recorder.WithSkipRequestLatency(true),
		recorder.WithMatcher(same), recorder.WithHook(scrub, recorder.BeforeSaveHook))
	l.must(err)
	t.Cleanup(func() {
		l.must(tape.Stop())
		if l.world != nil {
			raw, err := json.MarshalIndent(l.facts, "", "  ")
			l.must(err)
			l.must(os.WriteFile(path+".facts.json", append(raw, '\n'), 0o600))
		}
	})
	l.driver = l.connect(tape, config)
	return l
}

// connect returns a driver whose requests go through the transport.
func (l *lab) connect(transport http.RoundTripper, config config.Config) *Driver {
	provider := &gophercloud.ProviderClient{TokenID: "token", HTTPClient: http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		if err := l.note(r); err != nil {
			return nil, err
		}
		r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "limit=1000", "limit="+l.limit, 1)
		return transport.RoundTrip(r)
	})}}
	endpoints := map[string]string{"compute": localhost + ":8774/v2.1/", "network": localhost + ":9696/v2.0/"}
	if l.world != nil {
		provider.TokenID = l.world.token
	}
	config.Global.Region = "RegionOne"
	return wireDriver(&session.Services{
		Compute:   &gophercloud.ServiceClient{ProviderClient: provider, Endpoint: endpoints["compute"], Type: "compute", Microversion: session.ComputeMicroversion},
		Network:   &gophercloud.ServiceClient{ProviderClient: provider, Endpoint: endpoints["network"], Type: "network"},
		Balancer:  &gophercloud.ServiceClient{ProviderClient: provider, Endpoint: localhost + ":9876/", ResourceBase: localhost + ":9876/v2.0/", Type: "load-balancer"},
		Octavia:   api.V(2, 26),
		Extension: map[string]bool{"extraroute-atomic": true, "standard-attr-tag": true, "allowed-address-pairs": true},
	}, config, false, "kubernetes", "openstack")
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var ids = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|ccm-route-[0-9a-f]+-[0-9a-f]+`)

// note remembers a request by what it does: ids are left out.
func (l *lab) note(r *http.Request) error {
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/v2.1"), "/v2.0")
	name := r.Method + " " + ids.ReplaceAllString(path, "*")
	l.requests = append(l.requests, name)
	if f, ok := l.before[name]; ok {
		delete(l.before, name)
		if l.world != nil {
			f()
		}
	}
	if name == l.fail {
		return errors.New("no connection")
	}
	return nil
}

// failing makes one kind of request fail, "" none.
func (l *lab) failing(request string) { l.fail = request }

// cost checks which requests were made since the last look.
func (l *lab) cost(what string, want ...string) {
	l.Helper()
	if diff := cmp.Diff(want, l.requests); diff != "" {
		l.Errorf("%s: requests (-want +got):\n%s", what, diff)
	}
	l.requests = nil
}

// change does something to the cloud while recording.
func (l *lab) change(f func(w *world)) {
	if l.world != nil {
		f(l.world)
	}
	l.requests = nil
}

// fact is something a test learns of the cloud while recording.
func (l *lab) fact(name string, learn func(w *world) string) string {
	l.Helper()
	if l.world != nil {
		l.facts[name] = learn(l.world)
	} else if _, ok := l.facts[name]; !ok {
		l.Fatalf("testdata of %s has no fact %q: record it anew", l.Name(), name)
	}
	return l.facts[name]
}

func (l *lab) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *lab) list() []cloud.Instance {
	l.Helper()
	list, err := l.driver.List(l.Context())
	l.must(err)
	if !list.Complete {
		l.Error("the list is not complete")
	}
	slices.SortFunc(list.Items, func(a, b cloud.Instance) int { return strings.Compare(a.Name, b.Name) })
	return list.Items
}

// same says whether a request is the recorded one.
func same(r *http.Request, recorded cassette.Request) bool {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	a, errA := url.Parse(recorded.URL)
	return errA == nil && r.Method == recorded.Method && r.URL.Path == a.Path && maps.EqualFunc(r.URL.Query(), a.Query(), slices.Equal) &&
		string(body) == recorded.Body && r.Header.Get("If-Match") == recorded.Headers.Get("If-Match")
}

// scrub leaves of headers only what the driver or the comparison needs: no token.
func scrub(i *cassette.Interaction) error {
	keep := func(header http.Header, names ...string) {
		maps.DeleteFunc(header, func(name string, _ []string) bool { return !slices.Contains(names, name) })
	}
	keep(i.Request.Headers, "If-Match", "Openstack-Api-Version", "X-Openstack-Nova-Api-Version")
	keep(i.Response.Headers, "Content-Type", "Date")
	i.Request.RemoteAddr, i.Request.Host, i.Response.Duration = "", "", 0
	return nil
}
