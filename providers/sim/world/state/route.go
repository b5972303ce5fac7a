package state

import (
	"slices"

	"github.com/multicloud-ccm/multicloud-ccm/providers/sim/api"
)

// routeTable is what operations on routes are about: it takes one change at a time.
const routeTable = "routes"

// CreateRoute creates a route; with late it fails afterwards.
func (c *Cloud) CreateRoute(spec api.RouteSpec, late *api.Failure) (api.Route, error) {
	defer c.lock()()
	if err := c.jobs.free(routeTable); err != nil {
		return api.Route{}, err
	}
	if !spec.Destination.IsValid() || spec.Destination != spec.Destination.Masked() {
		return api.Route{}, api.Invalid("destination %q is no prefix in canonical form", spec.Destination)
	}
	if _, err := c.machines.find(spec.Machine); err != nil {
		return api.Route{}, api.Invalid("there is no machine %q", spec.Machine)
	}
	for _, r := range c.routes {
		if r.Destination == spec.Destination {
			return api.Route{}, api.Conflict("%s has that destination", r.ID)
		}
	}
	if limit := c.settings.Quota.Routes; limit > 0 && len(c.routes) >= limit {
		return api.Route{}, api.OverQuota("routes", limit)
	}
	route := &api.Route{ID: c.newID("route"), RouteSpec: spec}
	shown := *route
	shown.Operations = c.job(late, routeTable, func() { c.routes = append(c.routes, route) }, nil)
	return shown, nil
}

// DeleteRoute deletes a route; with late it fails afterwards.
func (c *Cloud) DeleteRoute(id string, late *api.Failure) (api.Route, error) {
	defer c.lock()()
	if err := c.jobs.free(routeTable); err != nil {
		return api.Route{}, err
	}
	at := slices.IndexFunc(c.routes, func(r *api.Route) bool { return r.ID == id })
	if at < 0 {
		return api.Route{}, api.NotFound("route", id)
	}
	shown := *c.routes[at]
	shown.Operations = c.job(late, routeTable, func() {
		c.routes = slices.DeleteFunc(c.routes, func(r *api.Route) bool { return r.ID == id })
	}, nil)
	return shown, nil
}

// Routes returns all routes.
func (c *Cloud) Routes() []api.Route {
	defer c.lock()()
	routes := []api.Route{}
	for _, r := range c.routes {
		_, err := c.machines.find(r.Machine)
		routes = append(routes, api.Route{ID: r.ID, RouteSpec: r.RouteSpec, Blackhole: err != nil})
	}
	return routes
}
