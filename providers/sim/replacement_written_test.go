package sim_test

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/conformance"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim"
	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/world"
)

// TestWritten: what is on Services and in plans is read by later versions.
func TestWritten(t *testing.T) {
	conformance.Written{
		Driver: newDriver(t, world.New(world.Options{}), nil), Descriptor: sim.Descriptor(), Annotations: sim.Annotations(), ID: "lb-%d",
		To:          map[string]string{sim.Internal.Name: "true"},
		Replacement: `{"request":"893f229cab7ab24e38a062e87ac3fe6716133ec7215c2ed9b01e9315352ac17b","of":"lb-1","was":{"dualStack":"false","scope":"external"}}`,
		Services:    []map[string]string{nil},
		Fields: `
			balancer: algorithm allow deny dualStack health.healthy health.interval health.path health.port health.protocol health.timeout health.unhealthy
				marks name proxyProtocol scope
			listener: protocol targetPort targetProtocol
		`,
	}.Check(t)
}
