// Package balancer is about load balancers: what there is, and the requests that lead to what a Service
// asks for, see package desired.
package balancer

import (
	"github.com/hetznercloud/hcloud-go/v2/hcloud"

	"github.com/multicloud-ccm/multicloud-ccm/providers/hcloud/balancer/desired"
)

// Balancers implements what a driver has for load balancers.
type Balancers struct {
	API *hcloud.Client
	desired.Configuration
}
