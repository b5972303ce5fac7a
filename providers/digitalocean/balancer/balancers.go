// Package balancer finds, makes, changes and deletes load balancers. Below it:
//
//	package      is about
//	object       load balancers of the API, and what they are in the kernel's words
//	owner        whose a load balancer is, and the tags that say it
//	desired      what a Service asks for
//	certificate  the certificate of a load balancer
package balancer

import (
	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/certificate"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/desired"
	"github.com/multicloud-ccm/multicloud-ccm/providers/digitalocean/balancer/owner"
)

// Balancers are the load balancers of a team.
type Balancers struct {
	desired.Rules
	API          godo.LoadBalancersService
	Tagging      owner.Client
	Certificates certificate.Finder
}
