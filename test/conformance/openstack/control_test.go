package openstack_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack"
)

// control steers the cloud for the suite: what it changes goes through the API too, but not
// through the driver's transport.
type control struct {
	*testing.T
	project   *project
	transport *transport
}

var _ conformance.Control = (*control)(nil)

// connect returns a driver with the project's credentials.
func (c *control) connect() cloud.Driver {
	c.Helper()
	file := fmt.Sprintf(`[Global]
auth-url = %s
region = RegionOne
user-id = %s
password = %s
tenant-id = %s
[Networking]
[LoadBalancer]
enabled = false
[Route]
router-id = %s
`, c.project.authURL, c.project.user, password, c.project.id, c.project.router)
	defaults := map[string]string{}
	for _, s := range openstack.Descriptor().Settings {
		defaults[s.Name] = s.Default
	}
	driver, err := openstack.New(c.Context(), cloud.Config{
		Cloud: "openstack", ClusterName: "kubernetes", UserAgent: "multicloud-ccm/test", Transport: c.transport,
		File:   func() ([]byte, error) { return []byte(file), nil },
		Lookup: func(name string) string { return defaults[name] },
		Warn:   func(message string) { c.Errorf("the configuration is warned of: %s", message) },
	})
	if err != nil {
		c.Fatal(err)
	}
	return driver
}

func (c *control) AddMachine(name string) cloud.InstanceID {
	c.Helper()
	id := c.project.make("compute", "servers", object{"server": object{
		"name": name, "imageRef": c.project.image, "flavorRef": "1", "networks": []object{{"uuid": c.project.network}},
	}})
	c.project.wait("server "+name+" runs", func() bool { return c.project.status(id) == "ACTIVE" })
	return cloud.InstanceID(id)
}

func (c *control) RemoveMachine(id cloud.InstanceID) {
	c.Helper()
	c.project.call(http.MethodDelete, "compute", "servers/"+string(id), nil, nil)
	c.project.wait("a server is gone", func() bool { return !slices.Contains(c.project.all("compute", "servers"), string(id)) })
}

func (c *control) StopMachine(id cloud.InstanceID) {
	c.Helper()
	c.project.call(http.MethodPost, "compute", "servers/"+string(id)+"/action", object{"os-stop": nil}, nil)
	c.project.wait("a server is off", func() bool { return c.project.status(string(id)) == "SHUTOFF" })
}

func (c *control) Requests() (reads, writes int) {
	c.transport.mu.Lock()
	defer c.transport.mu.Unlock()
	return c.transport.reads, c.transport.writes
}

func (c *control) Fail(f conformance.Fault, after int) {
	c.transport.mu.Lock()
	defer c.transport.mu.Unlock()
	c.transport.fault, c.transport.skip = &f, after
}

func (c *control) Heal() {
	c.transport.mu.Lock()
	defer c.transport.mu.Unlock()
	c.transport.fault = nil
}

// Settle has nothing to wait for: routes are there at once.
func (c *control) Settle() {}

// clean empties the cloud for the next test.
func (c *control) clean() {
	c.Helper()
	p := c.project
	p.call(http.MethodPut, "network", "routers/"+p.router, object{"router": object{"routes": []object{}}}, nil)
	p.call(http.MethodDelete, "network", "routers/"+p.router+"/tags", nil, nil)
	for _, id := range p.all("compute", "servers") {
		p.call(http.MethodDelete, "compute", "servers/"+id, nil, nil)
	}
	p.wait("all servers are gone", func() bool { return len(p.all("compute", "servers")) == 0 })
}

// patience bounds what a real cloud takes.
const patience = time.Minute
