// Package balancer is about load balancers: what a Service asks for, what there is, and the requests that lead
// from one to the other.
package balancer

import (
	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/config"
)

// Balancers are the load balancers of a team.
type Balancers struct {
	Rules
	API *godo.Client
}

// Rules say what a Service asks for, and what there is in the kernel's words. They make no request.
type Rules struct {
	Settings config.Settings
	// Cloud is the name of the configuration's entry.
	Cloud string
}
