package openstack_test

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/openstack/relay"
)

// TestSession records what the commands say about a cluster before and after the switch, each from the
// real binary, and has the doctor find nothing on it.
func TestSession(t *testing.T) {
	s := newSite(t, siteOptions{cluster: "kubernetes"})
	clean := s.leavesNothing()
	c := s.cluster(relay.Start(t))
	svc := s.upstreamService(c)
	page := c.Session("docs/reference/session-openstack.md", "A session on OpenStack",
		"Commands of the program on a cluster that OpenStack's own CCM made, on a lab with Keystone, Nova, Neutron and Octavia, and what\nthey say. The cloud.conf is given with `--cloud-config=cloud.conf`, which is left out too.")
	page.Switch("shop/web", s.nodes[0].Name)
	page.End(*update)
	c.Halt()
	s.remove(svc)
	clean()
}
