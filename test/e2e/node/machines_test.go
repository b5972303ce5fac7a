package node_test

import "github.com/multicloud-ccm/multicloud-ccm/test/testcloud"

// machines are those of the cloud.
type machines struct{ site *site }

// seed makes machines.
func (c machines) seed(n int) []testcloud.Machine {
	c.site.t.Helper()
	machines, err := c.site.Cloud.Seed(c.site.within(patience), n, testcloud.Machine{})
	c.site.must(err)
	return machines
}

// named makes a machine with a name.
func (c machines) named(name string) []testcloud.Machine {
	c.site.t.Helper()
	machines, err := c.site.Cloud.Seed(c.site.within(patience), 1, testcloud.Machine{Name: name})
	c.site.must(err)
	return machines
}

// like makes another machine of that name.
func (c machines) like(old testcloud.Machine) testcloud.Machine {
	c.site.t.Helper()
	return c.named(old.Name)[0]
}

func (c machines) stop(m testcloud.Machine) {
	c.site.t.Helper()
	c.site.must(c.site.Cloud.Stop(c.site.within(patience), m))
}

func (c machines) power(m testcloud.Machine) {
	c.site.t.Helper()
	c.site.must(c.site.Cloud.Start(c.site.within(patience), m))
}

func (c machines) remove(all ...testcloud.Machine) {
	c.site.t.Helper()
	c.site.must(c.site.Cloud.Remove(c.site.within(patience), all...))
}
