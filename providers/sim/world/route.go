package world

import (
	"net/netip"
	"slices"
)

// RouteSpec is what a client says about a route.
type RouteSpec struct {
	// Destination has no bits after its length.
	Destination netip.Prefix      `json:"destination"`
	Machine     string            `json:"machine"`
	Labels      map[string]string `json:"labels"`
}

// Route sends packets for a prefix to a machine. There is one per destination, and it
// can't be changed.
type Route struct {
	ID string `json:"id"`
	RouteSpec
	// Blackhole says that the machine is gone.
	Blackhole bool `json:"blackhole"`
	// Operations are what a change goes on as, none when the answer is final.
	Operations []string `json:"operations,omitempty"`
}

// routeTable is what operations on routes are about: it takes one change at a time.
const routeTable = "routes"

func (w *World) createRoute(c call, spec RouteSpec) (Route, error) {
	if err := w.jobs.free(routeTable); err != nil {
		return Route{}, err
	}
	if !spec.Destination.IsValid() || spec.Destination != spec.Destination.Masked() {
		return Route{}, invalid("destination %q is no prefix in canonical form", spec.Destination)
	}
	if _, err := w.machine(spec.Machine); err != nil {
		return Route{}, invalid("there is no machine %q", spec.Machine)
	}
	for _, r := range w.routes {
		if r.Destination == spec.Destination {
			return Route{}, conflict("%s has that destination", r.ID)
		}
	}
	if limit := w.settings.Quota.Routes; limit > 0 && len(w.routes) >= limit {
		return Route{}, overQuota("routes", limit)
	}
	route := &Route{ID: w.newID("route"), RouteSpec: spec}
	shown := *route
	shown.Operations = w.job(c, routeTable, func() { w.routes = append(w.routes, route) }, nil)
	return shown, nil
}

func (w *World) deleteRoute(c call, id string) (Route, error) {
	if err := w.jobs.free(routeTable); err != nil {
		return Route{}, err
	}
	at := slices.IndexFunc(w.routes, func(r *Route) bool { return r.ID == id })
	if at < 0 {
		return Route{}, notFound("route", id)
	}
	shown := *w.routes[at]
	shown.Operations = w.job(c, routeTable, func() {
		w.routes = slices.DeleteFunc(w.routes, func(r *Route) bool { return r.ID == id })
	}, nil)
	return shown, nil
}

func (w *World) listRoutes() []Route {
	routes := []Route{}
	for _, r := range w.routes {
		_, err := w.machine(r.Machine)
		routes = append(routes, Route{ID: r.ID, RouteSpec: r.RouteSpec, Blackhole: err != nil})
	}
	return routes
}
