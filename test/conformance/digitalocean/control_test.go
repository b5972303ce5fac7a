package digitalocean_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean"
	conformancefault "github.com/multicloud-ccm/multicloud-ccm/test/conformance/fault"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/digitalocean"
)

// start returns an emulator with two certificates, in which new balancers stay new until
// they are told.
func start(t *testing.T) (*emulator.Server, string) { return startWith(t, emulator.Options{}) }

func startWith(t *testing.T, o emulator.Options) (*emulator.Server, string) {
	t.Helper()
	o.ActivateAfter = -1
	server := emulator.New(o)
	url, err := server.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	server.Certificates.Add("custom", emulator.CertificateCustom, "example.com")
	server.Certificates.Add("encrypt", emulator.CertificateLetsEncrypt, "example.com")
	return server, url
}

// connect returns a driver on a real connection, with these variables on top of the defaults.
func connect(t *testing.T, url string, env map[string]string) *cloud.Driver {
	t.Helper()
	values := map[string]string{}
	for _, s := range digitalocean.Descriptor().Settings {
		values[s.Name] = s.Default
	}
	values["DO_ACCESS_TOKEN"], values["DO_OVERRIDE_URL"], values["DO_METADATA_URL"] = "test-token", url, url
	for name, value := range env {
		values[name] = value
	}
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	driver, err := digitalocean.New(t.Context(), cloud.Config{
		Cloud: "digitalocean", ClusterName: "kubernetes", UserAgent: "multicloud-ccm/test",
		Transport: transport.Guard(base, digitalocean.Descriptor().Limits),
		Lookup:    func(name string) string { return values[name] },
		Secret:    func(name string) (string, error) { return values[name], nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return driver
}

// control steers an emulator for the suite.
type control struct {
	t      *testing.T
	server *emulator.Server
}

var (
	_ conformance.Control   = control{}
	_ conformance.Tamperer  = control{}
	_ conformance.Inspector = control{}
)

func (c control) AddMachine(name string) cloud.InstanceID {
	added := c.server.Droplets.Seed(1, func(d *emulator.Droplet) {
		d.Name, d.PublicIPv6 = name, emulator.PublicIPv6For(d.ID%1000)
	})
	return cloud.InstanceID(strconv.Itoa(added[0].ID))
}

func (c control) RemoveMachine(id cloud.InstanceID) { c.must(c.server.Droplets.Delete(c.number(id))) }

func (c control) StopMachine(id cloud.InstanceID) { c.must(c.server.Droplets.PowerOff(c.number(id))) }

func (c control) Requests() (reads, writes int) {
	counters := c.server.Counters()
	writes = counters.Mutating
	for _, r := range c.server.Requests() {
		if strings.Contains(r.Body, `"validate_only":true`) {
			writes-- // nothing is made
		}
	}
	return counters.Total - writes, writes
}

func (c control) Fail(f conformance.Fault, after int) {
	wrong := conformancefault.After(f, after)
	wrong.Path = "/v2/**"
	c.server.AddFault(wrong)
}

func (c control) Heal() { c.server.ClearFaults() }

func (c control) Settle() { c.server.LoadBalancers.Activate() }

// Leftovers ignores tags: they cost nothing, and their removal is best effort.
func (c control) Leftovers() (left []string) {
	for _, b := range c.server.State().Balancers {
		left = append(left, b.ID)
	}
	return left
}

// edits change one field of a balancer by hand.
var edits = map[string]func(*emulator.Balancer){
	cloud.FieldName:          func(b *emulator.Balancer) { b.Name = "by-hand" },
	cloud.FieldAllow:         func(b *emulator.Balancer) { b.Firewall.Allow = []string{"cidr:10.0.0.0/8"} },
	cloud.FieldDeny:          func(b *emulator.Balancer) { b.Firewall.Deny = []string{"ip:192.0.2.1"} },
	cloud.FieldOwnershipTags: func(b *emulator.Balancer) { b.Tags = []string{"team:shop"} },
	"health.protocol":        func(b *emulator.Balancer) { b.HealthCheck.Protocol = "tcp" },
	"health.port":            func(b *emulator.Balancer) { b.HealthCheck.Port = 1 },
	"health.path":            func(b *emulator.Balancer) { b.HealthCheck.Path = "/" },
	"health.interval":        func(b *emulator.Balancer) { b.HealthCheck.CheckIntervalSeconds = 100 },
	"health.timeout":         func(b *emulator.Balancer) { b.HealthCheck.ResponseTimeoutSeconds = 100 },
	"health.healthy":         func(b *emulator.Balancer) { b.HealthCheck.HealthyThreshold = 9 },
	"health.unhealthy":       func(b *emulator.Balancer) { b.HealthCheck.UnhealthyThreshold = 9 },
	"health.proxyProtocol":   func(b *emulator.Balancer) { yes := true; b.HealthCheck.ProxyProtocol = &yes },
}

func (c control) TamperBalancer(id, field string) bool {
	edit, ok := edits[field]
	if ok {
		c.must(c.server.LoadBalancers.Edit(id, edit))
	}
	return ok
}

func (c control) number(id cloud.InstanceID) int {
	n, err := strconv.Atoi(string(id))
	c.must(err)
	return n
}

func (c control) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}
