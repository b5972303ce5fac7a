package aws_test

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/test/aws"
)

// TestThrottledNodes asks for machines while AWS refuses half of all calls: what is there is never
// said to be gone.
func TestThrottledNodes(t *testing.T) {
	s := newSite(t, siteOptions{})
	id := cloud.InstanceID(s.world.Boot(t, aws.MachineOptions{})[0])
	s.proxy.Throttle(50)
	answered := 0
	for range 40 {
		found, err := s.cloud.Driver.Instances().Get(t.Context(), id)
		if _, there := found[id]; err == nil && !there {
			t.Fatal("a throttled call was taken for a machine that is gone")
		}
		if err == nil {
			answered++
		}
	}
	calls := len(s.proxy.Calls())
	t.Logf("40 questions, %d answered, %d calls", answered, calls)
	// A question takes two calls, and the kernel asks three times.
	if answered == 0 || calls > 40*2*3 {
		t.Errorf("of 40 questions %d were answered, with %d calls", answered, calls)
	}
}
