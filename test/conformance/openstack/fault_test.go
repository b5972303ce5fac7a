package openstack_test

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	conformancefault "github.com/multicloud-ccm/multicloud-ccm/test/conformance/fault"
)

// pageSize is the largest page this cloud serves: Nova and Neutron let operators lower it.
const pageSize = 3

// pages asks for such pages.
type pages struct{ next http.RoundTripper }

func (p *pages) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.RawQuery = strings.Replace(r.URL.RawQuery, "limit=1000", "limit="+strconv.Itoa(pageSize), 1)
	return p.next.RoundTrip(r)
}

// Requests counts a login as reading, as the driver's ReadOnly does.
func (c *control) Requests() (reads, writes int) {
	counters := c.relay.Book.Counters()
	writes = counters.Mutating - counters.Of("POST /identity/v3/auth/tokens")
	return counters.Total - writes, writes
}

func (c *control) Fail(f conformance.Fault, after int) {
	c.relay.AddFault(conformancefault.After(f, after))
}

func (c *control) Heal() { c.relay.Faults.Clear() }
