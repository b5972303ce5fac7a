package openstack_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack"
	lab "github.com/multicloud-ccm/multicloud-ccm/test/openstack"
	"github.com/multicloud-ccm/multicloud-ccm/test/openstack/relay"
)

// control steers the cloud for one check: what it changes goes through the API too, but not
// through the relay, behind which the driver is.
type control struct {
	*testing.T
	project *project
	relay   *relay.Relay
	direct  *http.Transport
	// fresh are the machines that are as they were made.
	fresh []string
}

var (
	_ conformance.Control   = (*control)(nil)
	_ conformance.Tamperer  = (*control)(nil)
	_ conformance.Inspector = (*control)(nil)
)

// control returns a control that empties the project when the check is over.
func (p *project) control(t *testing.T) *control {
	t.Helper()
	c := &control{T: t, project: p, relay: relay.Start(t), direct: &http.Transport{ResponseHeaderTimeout: cloud.RequestTimeout}}
	t.Cleanup(c.clean)
	return c
}

// connect returns a driver with the project's credentials.
func (c *control) connect() *cloud.Driver {
	c.Helper()
	file := fmt.Sprintf(`[Global]
auth-url = %s
region = %s
application-credential-id = %s
application-credential-secret = %s
[LoadBalancer]
subnet-id = %s
[LoadBalancerClass "other"]
subnet-id = %s
[Route]
router-id = %s
`, c.relay.AuthURL(), lab.Region, c.project.Credential.ApplicationCredentialID, c.project.Credential.ApplicationCredentialSecret,
		c.project.SubnetID, c.project.otherSubnet, c.project.RouterID)
	defaults := map[string]string{}
	for _, s := range openstack.Descriptor().Settings {
		defaults[s.Name] = s.Default
	}
	driver, err := openstack.New(c.Context(), cloud.Config{
		Cloud: "openstack", ClusterName: "kubernetes", UserAgent: "multicloud-ccm/test",
		Transport: transport.Guard(&pages{c.direct}, openstack.Descriptor().Limits),
		File:      func() ([]byte, error) { return []byte(file), nil },
		Lookup:    func(name string) string { return defaults[name] },
		Warn:      func(message string) { c.Errorf("the configuration is warned of: %s", message) },
	})
	if err != nil {
		c.Fatal(err)
	}
	return driver
}

func (c *control) AddMachine(name string) cloud.InstanceID {
	c.Helper()
	id := c.project.parking.Take(c.T, name)
	c.fresh = append(c.fresh, id)
	return cloud.InstanceID(id)
}

func (c *control) RemoveMachine(id cloud.InstanceID) {
	c.Helper()
	c.used(id)
	// Nova deletes ports that it made, and those of the parking were there before.
	ports := c.all(c.project.Network, "ports", "ports", url.Values{"device_id": {string(id)}})
	c.call(c.project.Compute, http.MethodDelete, "servers/"+string(id), nil)
	c.wait("a server is gone", func() bool {
		return !slices.ContainsFunc(c.servers(), func(s object) bool { return text(s, "id") == string(id) })
	})
	for _, port := range ports {
		c.call(c.project.Network, http.MethodDelete, "ports/"+text(port, "id"), nil)
	}
}

func (c *control) StopMachine(id cloud.InstanceID) {
	c.Helper()
	c.used(id)
	if err := c.project.StopServer(c.Context(), string(id)); err != nil {
		c.Fatal(err)
	}
	c.wait("a server is off", func() bool {
		server, _ := c.call(c.project.Compute, http.MethodGet, "servers/"+string(id), nil)["server"].(object)
		return text(server, "status") == "SHUTOFF"
	})
}

// used says that a machine is no longer as it was made.
func (c *control) used(id cloud.InstanceID) {
	c.fresh = slices.DeleteFunc(c.fresh, func(fresh string) bool { return fresh == string(id) })
}

func (c *control) servers() []object { return c.all(c.project.Compute, "servers", "servers", nil) }

func (c *control) balancers() []object {
	return c.all(c.project.Balancer, "lbaas/loadbalancers", "loadbalancers", c.project.mine())
}

// Settle waits for as long as Octavia works at a balancer.
func (c *control) Settle() {
	c.Helper()
	c.wait("no balancer is pending", func() bool {
		return !slices.ContainsFunc(c.balancers(), func(lb object) bool {
			status := text(lb, "provisioning_status")
			return status != "ACTIVE" && status != "ERROR"
		})
	})
}

// clean empties the project for the next check.
func (c *control) clean() {
	c.Helper()
	c.direct.CloseIdleConnections()
	c.Settle()
	for _, lb := range c.balancers() {
		c.call(c.project.Balancer, http.MethodDelete, "lbaas/loadbalancers/"+text(lb, "id")+"?cascade=true", nil)
	}
	if err := c.project.parking.Park(context.WithoutCancel(c.Context()), c.fresh...); err != nil {
		c.Error(err)
	}
	for _, server := range c.servers() {
		c.call(c.project.Compute, http.MethodDelete, "servers/"+text(server, "id"), nil)
	}
	c.wait("all servers are gone", func() bool { return len(c.servers()) == 0 })
	c.wait("all balancers are gone", func() bool { return len(c.balancers()) == 0 })
	c.cleanNetwork()
}

func (c *control) cleanNetwork() {
	c.Helper()
	router, _ := c.call(c.project.Network, http.MethodGet, "routers/"+c.project.RouterID, nil)["router"].(object)
	if tags, _ := router["tags"].([]any); len(tags) > 0 {
		c.call(c.project.Network, http.MethodPut, "routers/"+c.project.RouterID, object{"router": object{"routes": []object{}}})
		c.call(c.project.Network, http.MethodDelete, "routers/"+c.project.RouterID+"/tags", nil)
	}
	for _, path := range []string{"floatingips", "security-groups", "ports"} {
		for _, one := range c.all(c.project.Network, path, strings.ReplaceAll(path, "-", "_"), c.project.mine()) {
			// Ports that belong to something go with it.
			if id := text(one, "id"); !c.project.furniture[id] && text(one, "device_owner") == "" {
				c.call(c.project.Network, http.MethodDelete, path+"/"+id, nil)
			}
		}
	}
}
