package install

import (
	"context"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/cluster/plane"
)

// carryPeriod is how often the data plane is told of load balancers.
const carryPeriod = 250 * time.Millisecond

// Carry tells the data plane of a cluster which load balancers the cloud has, until the context ends. An error says why it stopped before.
func Carry(ctx context.Context, c *cluster.Cluster, cloud Cloud) error {
	tick := time.NewTicker(carryPeriod)
	defer tick.Stop()
	for {
		var listeners []plane.Listener
		for _, b := range cloud.LoadBalancers() {
			if b.Active {
				listeners = append(listeners, b.Listeners...)
			}
		}
		if err := c.Plane().Set(ctx, listeners); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
