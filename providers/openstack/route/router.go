// Package route keeps the routes to pods on a router of Neutron.
package route

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/attributestags"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/api"
	"github.com/multicloud-ccm/multicloud-ccm/providers/openstack/neutron"
)

// Table is the routes of the router that [Route] router-id names.
type Table struct {
	network *gophercloud.ServiceClient
	// router is the id of the router.
	router string
	// extension are the extensions that Neutron has, by alias.
	extension map[string]bool
	machines  machines
}

// machines finds the addresses and ports of a machine.
type machines interface {
	Addresses(ctx context.Context, id string) (all []cloud.Address, ports []neutron.Port, found bool, err error)
}

// New returns the routes of a router.
func New(network *gophercloud.ServiceClient, machines machines, router string, extension map[string]bool) *Table {
	return &Table{network: network, router: router, extension: extension, machines: machines}
}

// Able reports whether Neutron can add routes to a router.
func (t *Table) Able() bool { return t.extension["extraroute"] || t.extension[extensionAtomic] }

// Extensions of Neutron that routes use, by alias.
const (
	// extensionAtomic adds and removes single routes.
	extensionAtomic = "extraroute-atomic"
	// extensionTags is needed for the ownership tags.
	extensionTags = "standard-attr-tag"
	// extensionPairs lets a port send what is not its own address.
	extensionPairs = "allowed-address-pairs"
)

// router is what the driver uses of a router of Neutron.
type router struct {
	ID       string       `json:"id"`
	Routes   []extraRoute `json:"routes"`
	Tags     []string     `json:"tags"`
	Revision int          `json:"revision_number"`
}

// Identifier returns the id.
func (r router) Identifier() string { return r.ID }

// extraRoute is a static route of a router.
type extraRoute struct {
	Destination netip.Prefix `json:"destination"`
	NextHop     netip.Addr   `json:"nexthop"`
}

// getRouter reads the router of the configuration.
func (t *Table) getRouter(ctx context.Context) (*router, error) {
	r, _, err := api.GetOne[router](ctx, t.network, "router", "routers", t.router)
	if err == nil && r.Routes == nil {
		err = cloud.ErrIncomplete
	}
	if err != nil {
		return nil, fmt.Errorf("reading router %q of [Route] router-id: %w", t.router, err)
	}
	return &r, nil
}

// tag marks the router, untag removes the ownership tag.
func (t *Table) tag(ctx context.Context, ownershipTag string) error {
	if err := attributestags.Add(ctx, t.network, "routers", t.router, ownershipTag).ExtractErr(); err != nil {
		return fmt.Errorf("marking router %s: %w", t.router, err)
	}
	return nil
}

func (t *Table) untag(ctx context.Context, ownershipTag string) error {
	err := attributestags.Delete(ctx, t.network, "routers", t.router, ownershipTag).ExtractErr()
	if err != nil && !api.IsNotFound(err) {
		return fmt.Errorf("removing the mark of a route from router %s: %w", t.router, err)
	}
	return nil
}

// add adds a route to the router, remove removes it.
func (t *Table) add(ctx context.Context, route extraRoute) error {
	return t.change(ctx, "add_extraroutes", route, func(routes []extraRoute) []extraRoute { return append(routes, route) })
}

func (t *Table) remove(ctx context.Context, route extraRoute) error {
	return t.change(ctx, "remove_extraroutes", route, func(routes []extraRoute) []extraRoute {
		return slices.DeleteFunc(routes, func(r extraRoute) bool { return r == route })
	})
}

// change asks for one route, or where Neutron cannot do that writes all of them, which fails
// with a conflict when somebody else changed the router meanwhile.
func (t *Table) change(ctx context.Context, action string, route extraRoute, edit func([]extraRoute) []extraRoute) error {
	if t.extension[extensionAtomic] {
		return api.Update(ctx, t.network, "router", map[string]any{"routes": []extraRoute{route}}, "routers", t.router, action)
	}
	current, err := t.getRouter(ctx)
	if err != nil {
		return err
	}
	return api.UpdateAt(ctx, t.network, current.Revision, "router", map[string]any{"routes": edit(current.Routes)}, "routers", t.router)
}

// links are the ids of the networks the router has an interface in.
func (t *Table) links(ctx context.Context) ([]string, error) {
	interfaces, err := neutron.Ports(ctx, t.network, url.Values{"device_id": {t.router}, "fields": {"id", "network_id"}})
	if err != nil {
		return nil, fmt.Errorf("listing interfaces of router %s: %w", t.router, err)
	}
	var ids []string
	for _, p := range interfaces {
		ids = append(ids, p.Network)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// refused is an error of a route that the driver sees by itself.
func refused(class cloud.Class, format string, args ...any) error {
	return &cloud.Error{Failure: cloud.Failure{Class: class}, Op: "checking the route", Err: fmt.Errorf(format, args...)}
}
