package route

import (
	"net/netip"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

func TestRouteOwnershipTag(t *testing.T) {
	seen := map[string]bool{}
	for _, owner := range []cloud.Owner{{Cluster: "one"}, {Cluster: "two"}} {
		for _, destination := range []string{"10.244.1.0/24", "fd00:1111:2222:3333:4444:5555:6666:7777/128"} {
			for _, hop := range []string{"10.0.0.1", "fd00:1111:2222:3333:4444:5555:6666:8888"} {
				ownershipTag := routeTag(owner, extraRoute{netip.MustParsePrefix(destination), netip.MustParseAddr(hop)})
				if seen[ownershipTag] || len(ownershipTag) > 60 {
					t.Errorf("%s has %d letters, used before: %t", ownershipTag, len(ownershipTag), seen[ownershipTag])
				}
				seen[ownershipTag] = true
			}
		}
	}
}
