package plane

import (
	"net/netip"
	"time"
)

// Listener is an open port of a load balancer, in no cloud's words.
type Listener struct {
	// Address is an IPv4 address. Listeners with another one are left out: nodes of these clusters have IPv4 only.
	Address netip.Addr
	// Protocol is "tcp" or "udp".
	Protocol string
	Port     int
	// NodePort is where a target is reached. With 0 packets get to it as they are, with the address and port of the load balancer.
	NodePort int
	Targets  []Target
	// Sources are the networks of clients that get in; none means everyone.
	Sources []netip.Prefix
	// Affinity keeps a client with a target, by the client's address.
	Affinity bool
	// HidesClient is set where the load balancer ends connections and opens its own: targets see its address, not the client's.
	HidesClient bool
	// Drain is how long flows to a target that was removed go on.
	Drain time.Duration
}

// Target is a node behind a listener.
type Target struct {
	Address netip.Addr
	// Healthy targets get new flows. Others keep those that they have.
	Healthy bool
}

// healthy returns the addresses of the healthy targets.
func (l Listener) healthy() (list []netip.Addr) {
	for _, t := range l.Targets {
		if t.Healthy {
			list = append(list, t.Address)
		}
	}
	return list
}
