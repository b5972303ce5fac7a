package octavia

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud/cloudtest"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/composite"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
)

// table is a cloud that answers from a table, by method and path without the version; a path may have
// its query. What is not in it is not there.
type table struct {
	*testing.T
	driver  *Balancers
	answers map[string]string
	// refused is the start of the requests that the cloud refuses for good, "" for none.
	refused string
	// invalid says that they are refused as invalid, and not for a quota.
	invalid bool
	// writes are the requests that change something, with their bodies.
	writes []string
	// reads are all others.
	reads []string
}

func newCase(t *testing.T, answers map[string]string) *table {
	t.Helper()
	c := &table{T: t, answers: answers}
	provider := &gophercloud.ProviderClient{TokenID: "token", HTTPClient: http.Client{Transport: answering(c.answer)}}
	c.driver = connected(Clients{
		Balancer: &gophercloud.ServiceClient{ProviderClient: provider, Endpoint: "http://127.0.0.1/v2.0/", Type: "load-balancer"},
		Network:  &gophercloud.ServiceClient{ProviderClient: provider, Endpoint: "http://127.0.0.1/v2.0/", Type: "network"},
	})
	return c
}

func (c *table) answer(r *http.Request) (*http.Response, error) {
	path := strings.TrimPrefix(r.URL.Path, "/v2.0")
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	if r.Method == http.MethodGet {
		c.reads = append(c.reads, path)
	} else {
		c.writes = append(c.writes, strings.TrimSpace(r.Method+" "+path+" "+string(body)))
	}
	status, text := http.StatusNotFound, `{"NeutronError": {"type": "NotFound"}, "faultstring": "not found"}`
	for _, key := range []string{r.Method + " " + path + "?" + r.URL.Query().Get("fixed_ips") + r.URL.Query().Get("floating_ip_address"), r.Method + " " + path} {
		if known, ok := c.answers[key]; ok {
			status, text = http.StatusOK, known
			break
		}
	}
	if text == "forbidden" {
		status = http.StatusForbidden
	}
	request := r.Method + " " + path + " " + string(body)
	switch {
	case c.refused != "" && strings.HasPrefix(request, c.refused) && c.invalid:
		status, text = http.StatusBadRequest, `{"faultcode": "Client", "faultstring": "no"}`
	case c.refused != "" && strings.HasPrefix(request, c.refused):
		status, text = http.StatusForbidden, `{"faultcode": "Client", "faultstring": "Quota has been met for resources: all"}`
	case r.Method == http.MethodPost && status != http.StatusOK:
		status, text = http.StatusCreated, `{"loadbalancer": {"id": "made"}, "pool": {"id": "made"}, "listener": {"id": "made"}, "healthmonitor": {"id": "made"}, "security_group": {"id": "made"}}`
	case r.Method == http.MethodDelete:
		status, text = http.StatusNoContent, ""
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		status, text = http.StatusOK, "{}"
	}
	return &http.Response{
		StatusCode: status, Body: io.NopCloser(strings.NewReader(text)), Request: r,
		Header: http.Header{"Content-Type": {"application/json"}},
	}, nil
}

// wrote checks the requests that changed something since the last look.
func (c *table) wrote(what string, want ...string) {
	c.Helper()
	if got := strings.Join(c.writes, "\n"); got != strings.Join(want, "\n") {
		c.Errorf("%s wrote\n%s\nwant\n%s", what, got, strings.Join(want, "\n"))
	}
	c.writes = nil
}

// fieldsOf returns the fields of the one object in a request's body.
func fieldsOf(t *testing.T, request string) map[string]any {
	t.Helper()
	_, body, _ := strings.Cut(request, "{")
	var object map[string]map[string]any
	if err := json.Unmarshal([]byte("{"+body), &object); err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	for _, fields := range object {
		return fields
	}
	return nil
}

// apply carries out the steps of a change that are due, as the kernel does.
func apply(t *testing.T, d *Balancers, change cloud.Change) (cloud.Progress, error) {
	t.Helper()
	b, _ := composite.Balancers(cloudtest.Driver(driver{failures{}, d}))
	return b.Apply(t.Context(), change)
}

// driver is as much of one as its balancers need.
type driver struct {
	cloud.Account
	*Balancers
}

// failures sorts errors.
type failures struct{ cloud.Account }

func (failures) Classify(err error) cloud.Failure { return api.Classify(err) }

type answering func(*http.Request) (*http.Response, error)

func (f answering) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
