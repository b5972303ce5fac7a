package route

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

// routeTag is the tag on the router that says that a cluster owns one of its routes. Neutron's
// routes have neither id nor description, so their router bears the ownership tags:
//
//	ccm-route-<cluster>-<route>    both the start of a SHA-256, in hexadecimal
//
// The route is its destination and its next hop: two clusters, or a cluster and an
// administrator, can have routes to the same destination. 44 letters fit the 60 that a tag had
// before Neutron 2023. An ownership tag is set before its route and its address pair are made and removed after
// them, so one without a route is left of a broken run, and may lead to a pair.
func routeTag(owner cloud.Owner, r extraRoute) string {
	return clusterTag(owner) + digest(r.Destination.String()+" "+r.NextHop.String(), 24)
}

// clusterTag begins all ownership tags of a cluster.
func clusterTag(owner cloud.Owner) string {
	return routeTagPrefix + digest(owner.Cluster, 10) + "-"
}

const routeTagPrefix = "ccm-route-"

func digest(text string, length int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:length]
}

// owned are the routes of a router that bear the ownership tag of the owner, and those ownership tags of the owner
// that no route bears.
func (r *router) owned(owner cloud.Owner) (owned []extraRoute, unused []string) {
	used := map[string]bool{}
	for _, route := range r.Routes {
		if ownershipTag := routeTag(owner, route); slices.Contains(r.Tags, ownershipTag) {
			owned, used[ownershipTag] = append(owned, route), true
		}
	}
	for _, tag := range r.Tags {
		if strings.HasPrefix(tag, clusterTag(owner)) && !used[tag] {
			unused = append(unused, tag)
		}
	}
	return owned, unused
}

// pairsOf finds the address pairs that were made together with these ownership tags, as the routes they
// are the beginning or the end of. An ownership tag is a hash, so each pair is tried with each address of its
// port: a pair that somebody else made fits none.
func pairsOf(owner cloud.Owner, ports []neutron.Port, ownershipTags []string) (routes []extraRoute) {
	for _, p := range ports {
		for _, pair := range p.Pairs {
			for _, fixed := range p.FixedIPs {
				route := extraRoute{pair.Network(), fixed.Address}
				if slices.Contains(ownershipTags, routeTag(owner, route)) && !slices.Contains(routes, route) {
					routes = append(routes, route)
				}
			}
		}
	}
	return routes
}
