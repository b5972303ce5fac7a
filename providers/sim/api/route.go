package api

import "net/netip"

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
