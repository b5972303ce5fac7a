package adopt_test

import (
	"flag"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

var update = flag.Bool("update", false, "write the recorded session of the documentation")

// TestSession records what the commands say about a cluster before and after the switch, each from the
// real binary.
func TestSession(t *testing.T) {
	s := open(t)
	s.settled(service{name: "web"})
	s.settled(service{name: "named", called: "shop-1"})
	s.Node(controlplane.NodeOptions{Name: "elsewhere", ProviderID: "aws:///eu-west-1a/i-0123456789abcdef0"})
	page := s.Session("docs/reference/session-digitalocean.md", "A session on DigitalOcean",
		"Commands of the program on a cluster that DigitalOcean's own CCM made, on an emulator of the API, and what they say. Credentials are\nin the environment.")
	page.Switch("shop/named", s.droplets[0].Name)
	page.End(*update)
}
