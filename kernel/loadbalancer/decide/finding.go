package decide

import (
	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/loadbalancer/problem"
)

// Finding is what was found of a Service's balancer.
type Finding struct {
	// Observed is our balancer; Found is false when there is none.
	Observed cloud.Observed
	// Conflicts are what the Service asked for and may not have.
	Conflicts []problem.Problem
	// Successor is the new balancer beside it, nil when it was not looked for.
	Successor *cloud.Observed
}
