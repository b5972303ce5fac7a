package hcloud_test

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud"
	conformancefault "github.com/multicloud-ccm/multicloud-ccm/test/conformance/fault"
	emulator "github.com/multicloud-ccm/multicloud-ccm/test/emulator/hcloud"
)

// start returns an emulator with a network.
func start(t *testing.T, options emulator.Options) (*emulator.Server, emulator.Network) {
	t.Helper()
	server, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server, server.AddNetwork(emulator.Network{Name: "cluster", Subnets: []emulator.Subnet{
		{IPRange: "10.0.0.0/18"}, {IPRange: "10.0.64.0/18"}, {IPRange: "10.0.128.0/18", NetworkZone: "us-east"},
	}})
}

// variables are those of a cluster in the network "cluster", on a machine that is not in it.
func variables(server *emulator.Server) map[string]string {
	values := map[string]string{}
	for _, s := range hcloud.Descriptor().Settings {
		values[s.Name] = s.Default
	}
	maps.Copy(values, map[string]string{
		"HCLOUD_TOKEN": "test-token", "HCLOUD_ENDPOINT": server.Endpoint(), "HCLOUD_NETWORK": "cluster", "HCLOUD_LOAD_BALANCERS_LOCATION": "fsn1",
		"HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK": "true", "HCLOUD_METADATA_URL": server.URL(), "ROBOT_BASE_URL": server.Robot.URL(),
	})
	return values
}

// robots adds the variables of a cluster with dedicated servers.
func robots(values map[string]string) map[string]string {
	maps.Copy(values, map[string]string{"ROBOT_ENABLED": "true", "ROBOT_USER": "robot-user", "ROBOT_PASSWORD": "robot-password"})
	return values
}

// configured returns the configuration with these variables, on this transport.
func configured(base http.RoundTripper, values map[string]string) cloud.Config {
	lookup := func(name string) string { return values[name] }
	return cloud.Config{
		Cloud: "hcloud", ClusterName: "kubernetes", UserAgent: "multicloud-ccm/test", Transport: base, Lookup: lookup,
		Secret: func(name string) (string, error) { return lookup(name), nil },
	}
}

// connect returns a driver on real connections.
func connect(t *testing.T, values map[string]string) (*cloud.Driver, error) {
	t.Helper()
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	return hcloud.New(t.Context(), configured(transport.Guard(base, hcloud.Descriptor().Limits), values))
}

func mustConnect(t *testing.T, values map[string]string) *cloud.Driver {
	t.Helper()
	driver, err := connect(t, values)
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

var _ conformance.Control = control{}

func (c control) AddMachine(name string) cloud.InstanceID {
	seeded := c.server.SeedMachines(1, func(m *emulator.Machine) { m.Name = name })
	return cloud.InstanceID(strconv.FormatInt(seeded[0].ID, 10))
}

func (c control) RemoveMachine(id cloud.InstanceID) { c.must(c.server.DeleteMachines(c.number(id))) }

func (c control) StopMachine(id cloud.InstanceID) { c.must(c.server.PowerOff(c.number(id))) }

func (c control) number(id cloud.InstanceID) int64 {
	c.t.Helper()
	number, err := strconv.ParseInt(string(id), 10, 64)
	c.must(err)
	return number
}

func (c control) Requests() (reads, writes int) {
	for _, r := range c.server.Requests() {
		if r.Method == http.MethodGet {
			reads++
		} else {
			writes++
		}
	}
	return reads, writes
}

func (c control) Fail(f conformance.Fault, after int) {
	c.server.AddFault(conformancefault.After(f, after))
}

func (c control) Heal() { c.server.ClearFaults() }

func (c control) Settle() { c.server.FinishActions() }

func (c control) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// ids returns those of machines, sorted.
func ids(machines []cloud.Instance) (all []cloud.InstanceID) {
	for _, machine := range machines {
		all = append(all, machine.ID)
	}
	slices.Sort(all)
	return all
}
