package sim_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/static"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/fault"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world/state"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, harness(state.Settings{
		ActivateAfter: state.Duration(time.Hour), DeleteAfter: state.Duration(time.Hour),
	}))
}

// The same holds where changes go on after their answer.
func TestConformanceWithOperations(t *testing.T) {
	conformance.Run(t, harness(state.Settings{OperationsTake: state.Duration(time.Hour)}))
}

func harness(settings state.Settings) conformance.Harness {
	return conformance.Harness{
		New: func(t *testing.T) (*cloud.Driver, conformance.Control) {
			w := world.New(world.Options{Settings: settings})
			g, url := open(t, w)
			return withDefect(connect(t, url, map[string]string{"SIM_STATIC": "true"}), w), control{t, w, g}
		},
		Descriptor:  sim.Descriptor(),
		Annotations: sim.Annotations(),
		Traffic:     carriedOut,
		Variations: map[string]conformance.Variation{
			sim.Name.Name:           {Value: "shop-front"},
			sim.Internal.Name:       {Value: "true"},
			sim.ProxyProtocol.Name:  {Value: "true"},
			sim.Algorithm.Name:      {Value: "least_connections"},
			sim.HealthProtocol.Name: {Value: "tcp"},
			sim.HealthPort.Name:     {Value: "443"},
			sim.HealthPath.Name:     {Value: "/ready"},
			sim.HealthInterval.Name: {Value: "15s"},
			sim.HealthTimeout.Name:  {Value: "3"},
			sim.Healthy.Name:        {Value: "4"},
			sim.Unhealthy.Name:      {Value: "5"},
		},
		Described: []cloud.NodeAttributes{
			{Name: "rack-1", Labels: map[string]string{static.Label: "true"}, Addresses: []cloud.Address{{Type: cloud.AddressInternalIP, Address: "192.0.2.1"}}},
			{
				Name: "rack-2", ProviderID: "sim://static/rack-2", Annotations: map[string]string{static.Address: "198.51.100.7"},
				Addresses: []cloud.Address{{Type: cloud.AddressHostname, Address: "rack-2"}, {Type: cloud.AddressInternalIP, Address: "192.0.2.2"}},
			},
		},
		Errors: map[string]conformance.APIError{
			"403":           {Fault: conformance.Fault{Status: http.StatusForbidden}, Want: cloud.FailureUnauthorized},
			"403 quota":     {Fault: conformance.Fault{Status: http.StatusForbidden, Body: `{"code":"quota_exceeded","message":"full"}`}, Want: cloud.FailureQuota},
			"418":           {Fault: conformance.Fault{Status: http.StatusTeapot, Body: `{"code":"teapot","message":"short and stout"}`}, Want: cloud.FailureUnknown},
			"404 of others": {Fault: conformance.Fault{Status: http.StatusNotFound, Body: "<html>no such site</html>"}, Want: cloud.FailureUnknown},
		},
	}
}

// newDriver returns a driver that talks to the world through a real connection.
func newDriver(t *testing.T, w *world.World, settings map[string]string) *cloud.Driver {
	t.Helper()
	server, err := w.Start("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return connect(t, server.URL, settings)
}

// connect returns a driver that talks to the world behind a URL.
func connect(t *testing.T, url string, settings map[string]string) *cloud.Driver {
	t.Helper()
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	config := configure(transport.Guard(base, sim.Descriptor().Limits), settings)
	config.Lookup = func(name string) string {
		if name == "SIM_ENDPOINT" {
			return url
		}
		return settings[name]
	}
	driver, err := sim.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return driver
}

func configure(base http.RoundTripper, settings map[string]string) cloud.Config {
	return cloud.Config{
		Cloud: "sim", ClusterName: "kubernetes", Transport: base, UserAgent: "multicloud-ccm/test",
		Lookup: func(name string) string { return settings[name] },
		Secret: func(name string) (string, error) { return settings[name], nil },
	}
}

// control steers a world for the suite.
type control struct {
	t     *testing.T
	world *world.World
	gate  *gate
}

var (
	_ conformance.Control   = control{}
	_ conformance.Tamperer  = control{}
	_ conformance.Inspector = control{}
)

func (c control) AddMachine(name string) cloud.InstanceID {
	m, err := c.world.AddMachine(api.Machine{Name: name})
	c.must(err)
	return cloud.InstanceID(m.ID)
}

func (c control) RemoveMachine(id cloud.InstanceID) { c.must(c.world.RemoveMachine(string(id))) }

func (c control) StopMachine(id cloud.InstanceID) { c.must(c.world.StopMachine(string(id))) }

func (c control) Requests() (reads, writes int) {
	counters := c.world.Counters()
	return counters.Reads, counters.Writes
}

func (c control) Fail(f conformance.Fault, after int) {
	wrong := fault.Fault{Effect: fault.EffectError, Skip: after, Status: f.Status, Body: f.Body, Location: f.Location, RetryAfterSeconds: int(f.RetryAfter.Seconds())}
	switch {
	case f.Hang:
		wrong.Effect = fault.EffectHang
	case f.Truncate:
		wrong.Effect = fault.EffectTruncated
	case f.Lost:
		wrong.Effect = fault.EffectLost
	case f.Nonsense:
		wrong.Effect = fault.EffectNonsense
	case f.Blank:
		wrong.Effect = fault.EffectBlank
	}
	_, err := c.world.AddFault(wrong)
	c.must(err)
}

func (c control) Heal() { c.world.ClearFaults() }

func (c control) Settle() { c.world.Settle() }

func (c control) Leftovers() (left []string) {
	for _, b := range c.world.Balancers() {
		left = append(left, b.ID)
	}
	return left
}

func (c control) TamperBalancer(id, field string) bool {
	edits := map[string]func(*api.Balancer){
		cloud.FieldName:          func(b *api.Balancer) { b.Name = "by-hand" },
		cloud.FieldAllow:         func(b *api.Balancer) { b.AllowedSources = []string{"10.0.0.0/8"} },
		cloud.FieldOwnershipTags: func(b *api.Balancer) { b.Labels = map[string]string{"team": "shop"} },
		"algorithm":              func(b *api.Balancer) { b.Algorithm = "least_connections" },
		"proxyProtocol":          func(b *api.Balancer) { b.ProxyProtocol = true },
		"health.protocol":        func(b *api.Balancer) { b.HealthCheck.Protocol = "tcp" },
		"health.port":            func(b *api.Balancer) { b.HealthCheck.Port = 1 },
		"health.path":            func(b *api.Balancer) { b.HealthCheck.Path = "/" },
		"health.interval":        func(b *api.Balancer) { b.HealthCheck.IntervalSeconds = 100 },
		"health.timeout":         func(b *api.Balancer) { b.HealthCheck.TimeoutSeconds = 1 },
		"health.healthy":         func(b *api.Balancer) { b.HealthCheck.HealthyThreshold = 9 },
		"health.unhealthy":       func(b *api.Balancer) { b.HealthCheck.UnhealthyThreshold = 9 },
	}
	edit, ok := edits[field]
	if ok {
		c.must(c.world.EditBalancer(id, edit))
	}
	return ok
}

func (c control) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}
