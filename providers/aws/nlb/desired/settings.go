// Package desired says which Network Load Balancer a Service asks for. It calls nothing.
package desired

import (
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/balancer"
	"github.com/multicloud-ccm/multicloud-ccm/providers/aws/tag"
)

// Settings are the settings of network balancers.
type Settings struct {
	Cluster tag.Cluster
	// ManagedGroups says that new balancers get a security group of their own.
	ManagedGroups bool
	// LeaveNodes says that the security groups of nodes are not ours to change.
	LeaveNodes bool
	// Probe is the health check of Services without externalTrafficPolicy Local, nil for that of
	// the node port.
	Probe *balancer.Probe
}
