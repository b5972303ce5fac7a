package aws_test

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/transport"
	provider "github.com/multicloud-ccm/multicloud-ccm/providers/aws"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// throttledTransport is the kernel's, as the program makes it.
func throttledTransport() *transport.Transport {
	return transport.New(nil, transport.Options{Cloud: "aws", ReadOnly: provider.ReadOnly, Throttled: provider.Throttled})
}

// TestThrottled has AWS refuse half of all calls: machines that are there are never said to be gone,
// and balancers are made and deleted, with calls in proportion.
func TestThrottled(t *testing.T) {
	calm := newSite(t, siteOptions{})
	before := calm.inventory()
	id := cloud.InstanceID(calm.world.Boot(t, aws.MachineOptions{})[0])
	life := func(s *site) int {
		svc := s.service("web", network)
		from := len(s.proxy.Calls())
		s.ensure(svc)
		s.gone(svc, before)
		return len(s.proxy.Calls()) - from
	}
	usual := life(calm)

	s := on(t, calm.world, calm.nodes, siteOptions{transport: throttledTransport()})
	s.proxy.Throttle(50)
	for range 20 {
		if found, err := s.cloud.Instances.Get(t.Context(), id); err != nil || found[id].ID != id {
			t.Fatalf("reading a machine: %v, %v", found, err)
		}
	}
	calls := life(s)
	t.Logf("%d calls, and %d while half of them are refused", usual, calls)
	// Each call takes two on average.
	if calls > 4*usual {
		t.Errorf("%d calls, want at most four times the usual %d", calls, usual)
	}
}
