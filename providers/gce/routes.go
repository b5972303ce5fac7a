package gce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"

	"google.golang.org/api/compute/v1"
	"google.golang.org/api/googleapi"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// routes are those of one network to pods. Routes are objects of their own, and have the form that
// upstream gives them.
type routes struct {
	*Driver
	// cluster is --cluster-name, which the names of upstream's routes begin with. The cluster's id may be another word.
	cluster string
	// network is the network's name, and given the id or number of its project: it is another one than that of the
	// instances where the network is shared.
	network, given string

	mu sync.Mutex
	// project is the id of that project, see locate.
	project string
}

// What every route has that upstream makes.
const (
	routeDescription = "k8s-node-route"
	routePriority    = 1000
)

// maxCluster is how much of a cluster's name is in those of its routes: with a UID behind it, they are as long as names
// may be.
const maxCluster = 26

var (
	clusterName = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,25})$`)
	nodeUID     = regexp.MustCompile(`^` + uidForm + `$`)
)

// uidForm is that of the UID of a Node.
const uidForm = `[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`

// routeNames are the beginning of the names of the cluster's routes, and the expression that all of them match, and no
// name of a cluster whose own name begins with this one's.
func (r *routes) routeNames() (begin, form string, err error) {
	begin = r.cluster[:min(len(r.cluster), maxCluster)]
	if !clusterName.MatchString(begin) {
		return "", "", &cloud.Invalid{Field: "--cluster-name", Value: r.cluster, Want: "names of routes begin with it: want small letters, digits and dashes, a letter first"}
	}
	return begin + "-", begin + "-(" + uidForm + "|[0-9a-f]{32}-v6)", nil
}

// routeName is upstream's for IPv4. For IPv6 upstream takes the same one again, so that a Node of both has one route.
func routeName(begin, uid string, destination netip.Prefix) string {
	if destination.Addr().Is6() {
		return begin + strings.ReplaceAll(uid, "-", "") + "-v6"
	}
	return begin + uid
}

// routeFields are what is read of a list of routes.
const routeFields = "kind,nextPageToken,items(name,description,network,destRange,priority,nextHopInstance,nextHopIp,warnings/code)"

// kindRoutes is what such a list calls itself.
const kindRoutes = "compute#routeList"

// ListRoutes implements cloud.Routes with one request for 500 routes of the cluster.
func (r *routes) ListRoutes(ctx context.Context, _ cloud.Owner) ([]cloud.Route, error) {
	found, err := r.owned(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]cloud.Route, 0, len(found))
	for _, one := range found {
		destination, err := netip.ParsePrefix(one.DestRange)
		if err != nil {
			return nil, fmt.Errorf("listing routes: the destination of %s: %w: %s", one.Name, cloud.ErrIncomplete, err.Error())
		}
		route := cloud.Route{Name: one.Name, Destination: destination}
		for _, warning := range one.Warnings {
			route.Blackhole = route.Blackhole || warning.Code == instanceGone
			route.Impaired = cmp.Or(route.Impaired, impairments[warning.Code])
		}
		ok := false
		if route.NextHop, err = netip.ParseAddr(one.NextHopIp); err != nil {
			route.Target, ok = r.target(one.NextHopInstance)
		}
		if ok || err == nil {
			list = append(list, route)
		}
	}
	return list, nil
}

// instanceGone is the warning of a route whose instance does not exist. One that is off keeps its route.
const instanceGone = "NEXT_HOP_INSTANCE_NOT_FOUND"

// impairments are what other warnings mean.
var impairments = map[string]string{
	"NEXT_HOP_CANNOT_IP_FORWARD":              "its instance may not forward packets: make it again with --can-ip-forward",
	"NEXT_HOP_INSTANCE_NOT_ON_NETWORK":        "its instance has no interface in the network",
	"NEXT_HOP_INSTANCE_HAS_NO_IPV6_INTERFACE": "its instance has no IPv6 address in the network",
}

// owned are the routes of the network with the cluster's names and upstream's description.
func (r *routes) owned(ctx context.Context) ([]*compute.Route, error) {
	_, form, err := r.routeNames()
	if err != nil {
		return nil, err
	}
	if err := r.locate(ctx); err != nil {
		return nil, err
	}
	doing := "listing the routes of the project " + r.project
	call := r.api.Routes.List(r.project).MaxResults(maxPage).Filter(`name eq "` + form + `"`).Fields(routeFields)
	name := regexp.MustCompile("^" + form + "$")
	all, err := cloud.Pages(func(next string) ([]*compute.Route, string, error) {
		if next != "" {
			call.PageToken(next)
		}
		page, err := call.Context(ctx).Do()
		if err != nil {
			return nil, "", refused(doing, err)
		}
		if page.Kind != kindRoutes {
			return nil, "", fmt.Errorf("%s: %w", doing, cloud.ErrIncomplete)
		}
		return append([]*compute.Route{}, page.Items...), page.NextPageToken, nil
	})
	return slices.DeleteFunc(all, func(one *compute.Route) bool {
		return !name.MatchString(one.Name) || one.Description != routeDescription || !strings.HasSuffix(one.Network, "/"+r.path())
	}), err
}

// instanceURL is the end of the URL of an instance.
var instanceURL = regexp.MustCompile(`(?:^|/)projects/([^/]+)/zones/([^/]+)/instances/([^/]+)$`)

// target is the instance that a route leads to, false where that is none of ours: such a route is somebody else's.
func (r *routes) target(url string) (cloud.InstanceID, bool) {
	parts := instanceURL.FindStringSubmatch(url)
	if parts == nil || !r.ours(parts[1]) {
		return "", false
	}
	return r.id(parts[1], parts[2], parts[3]), true
}

// CreateRoute implements cloud.Routes.
func (r *routes) CreateRoute(ctx context.Context, _ cloud.Owner, route cloud.Route) error {
	wanted, err := r.request(ctx, route)
	if err != nil {
		return err
	}
	doing := "creating the route " + wanted.Name + " to " + wanted.DestRange
	operation, err := r.api.Routes.Insert(r.project, wanted).Fields(operationFields).Context(ctx).Do()
	if err != nil {
		return r.settle(ctx, wanted, refused(doing, err))
	}
	return goesOn(doing, operation)
}

// request is a route as upstream asks for it. An instance of another project than the network's can be a next hop by its
// address only, which upstream does not know of.
func (r *routes) request(ctx context.Context, route cloud.Route) (*compute.Route, error) {
	begin, _, err := r.routeNames()
	if err != nil {
		return nil, err
	}
	if !nodeUID.MatchString(route.NodeUID) {
		return nil, &cloud.Invalid{Field: "UID of the Node", Value: route.NodeUID, Want: "the name of its route is made of it: want a UUID"}
	}
	project, zone, name, err := r.where(route.Target)
	if err != nil {
		return nil, err
	}
	if err := r.locate(ctx); err != nil {
		return nil, err
	}
	wanted := &compute.Route{
		Name: routeName(begin, route.NodeUID, route.Destination), Description: routeDescription, Network: r.api.BasePath + r.path(),
		DestRange: route.Destination.String(), Priority: routePriority,
	}
	if project == r.project {
		wanted.NextHopInstance = "zones/" + zone + "/instances/" + name
		return wanted, nil
	}
	read, err := r.api.Instances.Get(project, zone, name).Fields(hopFields).Context(ctx).Do()
	if err != nil {
		return nil, refused("reading the instance "+zone+"/"+name+" of the project "+project, err)
	}
	if wanted.NextHopIp = r.addressIn(read, route.Destination); wanted.NextHopIp == "" {
		return nil, &cloud.Invalid{Field: "target of the route", Value: string(route.Target), Want: "want an instance with an address of the route's family in the network " + r.path()}
	}
	return wanted, nil
}

// hopFields are what is read of an instance that is a next hop by its address.
const hopFields = "networkInterfaces(network,networkIP,ipv6Address,ipv6AccessType,ipv6AccessConfigs/externalIpv6)"

// addressIn is the address of an instance in the network, of the family of a destination, "" where it has none.
func (r *routes) addressIn(read *compute.Instance, destination netip.Prefix) string {
	for _, nic := range read.NetworkInterfaces {
		if !strings.HasSuffix(nic.Network, "/"+r.path()) {
			continue
		}
		if destination.Addr().Is6() {
			return ipv6Of(nic)
		}
		return nic.NetworkIP
	}
	return ""
}

// settle returns nil when a creation was refused because the route is there already: another attempt made it, whose
// answer was lost.
func (r *routes) settle(ctx context.Context, wanted *compute.Route, refusal error) error {
	if answer, ok := errors.AsType[*googleapi.Error](refusal); !ok || canonical(reason(answer)) != alreadyExists {
		return refusal
	}
	present, err := r.owned(ctx)
	if err != nil {
		return errors.Join(refusal, err)
	}
	for _, one := range present {
		if one.Name == wanted.Name && one.DestRange == wanted.DestRange && one.Priority == wanted.Priority &&
			one.NextHopIp == wanted.NextHopIp && strings.HasSuffix(one.NextHopInstance, wanted.NextHopInstance) {
			return nil
		}
	}
	return fmt.Errorf("another route has that name: delete it, or give the cluster another name: %w", refusal)
}

// DeleteRoute implements cloud.Routes. What does not have a name of the cluster's is left as it is.
func (r *routes) DeleteRoute(ctx context.Context, _ cloud.Owner, route cloud.Route) error {
	_, form, err := r.routeNames()
	if err != nil || !regexp.MustCompile("^"+form+"$").MatchString(route.Name) {
		return err
	}
	if err := r.locate(ctx); err != nil {
		return err
	}
	doing := "deleting the route " + route.Name + " to " + route.Destination.String()
	operation, err := r.api.Routes.Delete(r.project, route.Name).Fields(operationFields).Context(ctx).Do()
	if answer, ok := errors.AsType[*googleapi.Error](err); ok && classOf(answer) == cloud.FailureNotFound {
		return nil
	}
	if err != nil {
		return refused(doing, err)
	}
	return goesOn(doing, operation)
}
