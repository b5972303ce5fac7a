// Package balancer finds, makes, changes and deletes load balancers.
package balancer

import (
	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/desired"
)

// Balancers are the load balancers of a team.
type Balancers struct {
	*desired.Rules
	API *godo.Client
}
