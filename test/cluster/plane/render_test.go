package plane

import (
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var golden = sketch{
	nodes: netip.MustParsePrefix("10.111.0.0/24"), clients: netip.MustParsePrefix("198.18.0.0/24"), machine: netip.MustParseAddr("10.111.0.1"),
	balancers: netip.MustParsePrefix("198.19.0.0/24"),
}

func both(healthy ...bool) (targets []Target) {
	for i, h := range healthy {
		targets = append(targets, Target{netip.AddrFrom4([4]byte{10, 111, 0, byte(11 + i)}), h})
	}
	return targets
}

// The order of listeners does not matter, nor do those of another family.
func TestRender(t *testing.T) {
	vip := netip.MustParseAddr("198.19.0.1")
	listeners := []Listener{
		{Address: vip, Protocol: "udp", Port: 53, NodePort: 30053, Targets: both(true, true)},
		{Address: vip, Protocol: "tcp", Port: 80, NodePort: 30080, Targets: both(true, false), Sources: []netip.Prefix{
			netip.MustParsePrefix("192.0.2.9/24"), netip.MustParsePrefix("2001:db8::/32"),
		}},
		{Address: vip, Protocol: "tcp", Port: 81, NodePort: 30081, Targets: both(true, true), Affinity: true, HidesClient: true},
		{Address: vip, Protocol: "tcp", Port: 82, Targets: both(true, true)},
		{Address: vip, Protocol: "tcp", Port: 83, NodePort: 30083, Targets: both(false), Sources: []netip.Prefix{netip.MustParsePrefix("2001:db8::/32")}},
		{Address: netip.MustParseAddr("2001:db8::1"), Protocol: "tcp", Port: 80, NodePort: 30080, Targets: both(true)},
	}
	want, err := os.ReadFile("testdata/table.nft")
	if err != nil {
		t.Fatal(err)
	}
	got := golden.render(listeners)
	if difference := cmp.Diff(string(want), got); difference != "" {
		t.Errorf("testdata/table.nft (-want +got):\n%s", difference)
	}
	listeners[0], listeners[3] = listeners[3], listeners[0]
	if again := golden.render(listeners); again != got {
		t.Errorf("in another order it is another table:\n%s", cmp.Diff(got, again))
	}
}

// Without targets nothing is chosen, and without listeners the table is there.
func TestRenderNothing(t *testing.T) {
	got := golden.render([]Listener{{Address: netip.MustParseAddr("198.19.0.1"), Protocol: "tcp", Port: 80, NodePort: 30080}})
	if got != golden.render(nil) || strings.Contains(got, "198.19.0.1") || !strings.Contains(got, "chain choose") {
		t.Errorf("table:\n%s", got)
	}
}
