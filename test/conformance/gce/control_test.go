package gce_test

import (
	"cmp"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	"github.com/multicloud-ccm/multicloud-ccm/providers/gce"
	conformancefault "github.com/multicloud-ccm/multicloud-ccm/test/conformance/fault"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce"
)

const project = "test-project"

// zones are those of the emulator's first region.
var zones = []string{"us-central1-a", "us-central1-b", "us-central1-c"}

func start(t *testing.T) (*emulator.Server, string) {
	t.Helper()
	return startWith(t, emulator.Options{})
}

func startWith(t *testing.T, options emulator.Options) (*emulator.Server, string) {
	t.Helper()
	server := emulator.New(options)
	address, err := server.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server, address
}

// client are what a driver on the emulator has besides the defaults.
type client struct {
	// conf is the content of the gce.conf behind the endpoint.
	conf string
	// cluster is the cluster's name, "kubernetes" if it is empty.
	cluster string
	env     map[string]string
	// live says that the test changes env later.
	live bool
	// warned collects the warnings.
	warned *[]string
	// delay is how long operations run, as in the emulator's options.
	delay time.Duration
}

// connect returns a driver on a real connection. Its tokens are those of the emulator's metadata
// server unless the client says otherwise.
func connect(t *testing.T, address string, c client) (*cloud.Driver, error) {
	t.Helper()
	host, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, s := range gce.Descriptor().Settings {
		values[s.Name] = s.Default
	}
	values["GCE_METADATA_HOST"] = host.Host
	maps.Copy(values, c.env)
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	return gce.New(t.Context(), cloud.Config{
		Cloud: "gce", ClusterName: cmp.Or(c.cluster, "kubernetes"), UserAgent: "multicloud-ccm/test",
		Transport: transport.Guard(base, gce.Descriptor().Limits),
		File: func() ([]byte, error) {
			return []byte("[Global]\napi-endpoint = " + address + "/compute/v1/\n" + c.conf), nil
		},
		Lookup: func(name string) string { return values[name] },
		Secret: func(name string) (string, error) {
			if c.live {
				return c.env[name], nil
			}
			return values[name], nil
		},
		Warn: func(message string) {
			if c.warned != nil {
				*c.warned = append(*c.warned, message)
			}
		},
	})
}

// control steers an emulator for the suite.
type control struct {
	t      *testing.T
	server *emulator.Server
	// named counts the machines of each name: a zone has one of them.
	named   map[string]int
	address string
}

var (
	_ conformance.Control   = control{}
	_ conformance.Inspector = control{}
	_ conformance.Neighbour = control{}
)

// Neighbour is a driver of a cluster whose name begins with that of ours.
func (c control) Neighbour() *cloud.Driver {
	c.t.Helper()
	driver, err := connect(c.t, c.address, client{cluster: "kubernetes-2"})
	c.must(err)
	return driver
}

func (c control) AddMachine(name string) cloud.InstanceID {
	zone := zones[c.named[name]]
	c.named[name]++
	c.server.Load(emulator.Seed{Instances: []emulator.Instance{{Name: name, Zone: zone, ExternalIP: "auto"}}})
	return cloud.InstanceID(zone + "/" + name)
}

func (c control) RemoveMachine(id cloud.InstanceID) { c.must(c.server.Remove(path(id))) }

func (c control) StopMachine(id cloud.InstanceID) { c.setStatus(id, "TERMINATED") }

func (c control) setStatus(id cloud.InstanceID, status string) {
	c.must(c.server.Edit(path(id), map[string]any{"status": status}))
}

// path is where a machine is in the emulator.
func path(id cloud.InstanceID) string {
	zone, name, _ := strings.Cut(string(id), "/")
	return "projects/" + project + "/zones/" + zone + "/instances/" + name
}

// Requests leaves those for tokens out.
func (c control) Requests() (reads, writes int) { return requests(c.server) }

func requests(server *emulator.Server) (reads, writes int) {
	for _, r := range server.Requests() {
		switch {
		case !strings.HasPrefix(r.Path, "/compute/"):
		case r.Method == http.MethodGet:
			reads++
		default:
			writes++
		}
	}
	return reads, writes
}

func (c control) Fail(f conformance.Fault, after int) {
	wrong := conformancefault.After(f, after)
	wrong.Path = "/compute/v1/**"
	c.server.AddFault(wrong)
}

func (c control) Heal() { c.server.ClearFaults() }

func (c control) Settle() { c.server.Operations.Finish() }

// Leftovers are the routes that were made.
func (c control) Leftovers() (left []string) {
	for path, object := range c.server.State().Objects {
		if object["kind"] == "compute#route" && object["nextHopGateway"] == nil {
			left = append(left, path)
		}
	}
	return left
}

func (c control) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// lab is a driver on an emulator.
type lab struct {
	control
	driver *cloud.Driver
}

func newLab(t *testing.T, c client) lab {
	t.Helper()
	server, address := startWith(t, emulator.Options{Delay: c.delay})
	driver, err := connect(t, address, c)
	if err != nil {
		t.Fatal(err)
	}
	return lab{control: control{t: t, server: server, named: map[string]int{}, address: address}, driver: driver}
}

// ids returns those of machines, sorted.
func ids(machines []cloud.Instance) (all []cloud.InstanceID) {
	for _, machine := range machines {
		all = append(all, machine.ID)
	}
	slices.Sort(all)
	return all
}

// What answers in the place of the metadata server when the process starts may pass.
func TestStartThatMayPass(t *testing.T) {
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusBadGateway} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>", status) }))
		t.Cleanup(server.Close)
		if _, err := connect(t, server.URL, client{}); !cloud.MayPass(err) {
			t.Errorf("%d: %v", status, err)
		}
	}
}
