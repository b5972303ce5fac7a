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
}

func (w *World) createRoute(spec RouteSpec) (Route, error) {
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
	w.routes = append(w.routes, route)
	return *route, nil
}

func (w *World) deleteRoute(id string) error {
	before := len(w.routes)
	w.routes = slices.DeleteFunc(w.routes, func(r *Route) bool { return r.ID == id })
	if len(w.routes) == before {
		return notFound("route", id)
	}
	return nil
}

func (w *World) listRoutes() []Route {
	routes := []Route{}
	for _, r := range w.routes {
		_, err := w.machine(r.Machine)
		routes = append(routes, Route{ID: r.ID, RouteSpec: r.RouteSpec, Blackhole: err != nil})
	}
	return routes
}
