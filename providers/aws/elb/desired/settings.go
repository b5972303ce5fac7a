// Package desired says which Classic Load Balancer a Service asks for. It calls nothing.
package desired

import (
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Settings are the settings of classic balancers.
type Settings struct {
	Cluster tag.Cluster
	// Group is the security group of every balancer, instead of one of its own; "" for none.
	Group string
	// Probe is the health check of Services without externalTrafficPolicy Local, nil for that of
	// the node port.
	Probe *balancer.Probe
}
