// Package owner says whose a load balancer is: the tags that tell it, and the requests that change these.
package owner

import (
	"slices"
	"strings"

	"github.com/digitalocean/godo"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/safety/ownership"
)

// Owner says whose a balancer is. Upstream's default name holds the Service's UID and proves
// as much as our own ownership tag.
func (t Tags) Owner(lb *godo.LoadBalancer, us cloud.Owner) cloud.Owner {
	_, owner := t.Read(lb.Tags, us)
	if owner.UID == "" && ownership.IsInName(lb.Name, us) {
		owner.UID = us.UID
	}
	return owner
}

// SharesService reports whether a list of all balancers shows another one with a tag of a Service that this one has: a second
// balancer of the Service may have it, and so may that of a cluster that was restored from the same backup.
func SharesService(lb *godo.LoadBalancer, all []godo.LoadBalancer) bool {
	return slices.ContainsFunc(all, func(other godo.LoadBalancer) bool {
		return other.ID != lb.ID && slices.ContainsFunc(other.Tags, func(tag string) bool {
			return strings.HasPrefix(strings.ToLower(tag), prefixService) && slices.Contains(lb.Tags, tag)
		})
	})
}
