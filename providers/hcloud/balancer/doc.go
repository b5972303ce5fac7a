// Package balancer is about load balancers: what a Service asks for, what there is, and the requests
// that lead from one to the other.
package balancer

import (
	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// Balancers implements what a driver has for load balancers.
type Balancers struct {
	API *hcloud.Client
	// Default are the values of annotations of Services without them, see ReadDefaults.
	Default map[string]string
	// Network is the id of the network of the nodes, 0 for none.
	Network int64
}

var (
	_ cloud.Composite  = (*Balancers)(nil)
	_ cloud.BulkLister = (*Balancers)(nil)
	_ cloud.Sized      = (*Balancers)(nil)
	_ cloud.Recorder   = (*Balancers)(nil)
	_ cloud.Configured = (*Balancers)(nil)

	_ cloud.NetworkReader = (*Balancers)(nil)
)
