package aws_test

import "testing"

// TestSession records what the commands say about a cluster before and after the switch, each from the
// real binary, and has the doctor find nothing on it.
func TestSession(t *testing.T) {
	s := newSite(t, siteOptions{})
	c := s.cluster()
	svc := c.Apply(s.service("web", network))
	s.upstreamNetwork(svc)
	c.Publish(svc, nil, svc.Status.LoadBalancer.Ingress...)
	page := c.Session("docs/reference/session-aws.md", "A session on AWS",
		"Commands of the program on a cluster that AWS's own CCM made, on a moto server, and what they say. Credentials are in the\nenvironment, and the cloud.conf is given with `--cloud-config=cloud.conf`, which is left out too.")
	page.Switch("shop/web", s.nodes[0].Name)
	page.End(*update)
}
