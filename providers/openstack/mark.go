package openstack

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// routeMark is the tag on the router that says that a cluster owns one of its routes. Neutron's
// routes have neither id nor description, so their router bears the marks:
//
//	ccm-route-<cluster>-<route>    both the start of a SHA-256, in hexadecimal
//
// The route is its destination and its next hop: two clusters, or a cluster and an
// administrator, can have routes to the same destination. 44 letters fit the 60 that a tag had
// before Neutron 2023. A mark is set before its route is made and removed after it, so one
// without a route is left of a broken run, and means nothing.
func routeMark(owner cloud.Owner, r extraRoute) string {
	return routeMarkPrefix + digest(owner.Cluster, 10) + "-" + digest(r.Destination.String()+" "+r.NextHop.String(), 24)
}

const routeMarkPrefix = "ccm-route-"

func digest(text string, length int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:length]
}

// owned are the routes of a router that bear the mark of the owner.
func (r *router) owned(owner cloud.Owner) (owned []extraRoute) {
	for _, route := range r.Routes {
		if slices.Contains(r.Tags, routeMark(owner, route)) {
			owned = append(owned, route)
		}
	}
	return owned
}
