package aws

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws"
	lab "github.com/multicloud-ccm/multicloud-ccm/test/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws/proxy"
)

// pageSize is that of all lists. AWS allows no smaller one.
const pageSize = 5

// Control steers the cloud for one check: what it changes goes through the API too, but not
// through the proxy, behind which the driver is.
type Control struct {
	testing.TB
	*lab.World
	proxy *proxy.Proxy
	rest  furniture
	// groupNames are the names of security groups that were there once, by id.
	groupNames map[string]string
}

var (
	_ conformance.Control   = (*Control)(nil)
	_ conformance.Tamperer  = (*Control)(nil)
	_ conformance.Inspector = (*Control)(nil)
)

// start makes a World, a driver in it and its control. All have the same ids.
func start(t *testing.T) (*cloud.Driver, *Control) {
	t.Helper()
	w := lab.NewWorld(t, lab.WorldOptions{Alike: true, IPv6: true})
	c := &Control{TB: t, World: w, proxy: w.Proxy(t), groupNames: map[string]string{}}
	c.rest = furnish(t, w)
	c.proxy.SetPage(pageSize)
	config := w.Config(t, lab.ConfigOptions{Proxy: c.proxy, Declared: aws.Descriptor().Settings})
	config.Transport = transport.Guard(config.Transport, aws.Descriptor().Limits)
	driver, err := aws.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return driver, c
}

// AddMachine adds a running instance whose private DNS name is the name.
func (c *Control) AddMachine(name string) cloud.InstanceID {
	c.Helper()
	return cloud.InstanceID(c.Boot(c.TB, lab.MachineOptions{Name: name})[0])
}

// RemoveMachine terminates an instance.
func (c *Control) RemoveMachine(id cloud.InstanceID) { c.Helper(); c.Terminate(c.TB, string(id)) }

// StopMachine stops an instance.
func (c *Control) StopMachine(id cloud.InstanceID) { c.Helper(); c.Stop(c.TB, string(id)) }

// Requests counts the calls so far.
func (c *Control) Requests() (reads, writes int) { return c.proxy.Counts() }

// Settle has nothing to do: balancers are active when they are first read.
func (c *Control) Settle() {}
