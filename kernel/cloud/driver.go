package cloud

import (
	"context"
	"net/netip"
)

// Driver is one cloud as the kernel sees it, in groups of members. A provider's constructor hands over what there is with its
// configuration. A member that is nil is not there: the cloud or the driver lacks it, or it is switched off.
//
// A driver only reads state, rounds values to what its API would store, and executes one change. It makes no decision, keeps no
// cache, logs nothing, emits no event, counts nothing, never sleeps and never retries: the kernel wraps each member (run.Decorate)
// and does all of that once, for every cloud. All members must be safe for concurrent use.
//
// What the Descriptor says of Capabilities is what the driver hands over where everything is switched on; the conformance suite
// compares the two.
type Driver struct {
	// Account is always there.
	Account
	// Operations is there where a change goes on after its answer.
	Operations Operations
	Machines   MachineGroup
	Balancers  *BalancerGroup
	Routes     *RouteGroup
	Firewalls  Firewalls
	Tagger     Tagger
}

// Account is what the credentials are for.
type Account interface {
	// Identity says which account, project or tenant the credentials see. It is read at
	// start and compared before anything is judged gone.
	Identity(ctx context.Context) (Identity, error)

	// Classify sorts an error that a member of this driver returned into the closed set of failures.
	// An error it does not know is FailureUnknown, never FailureNotFound; the kernel
	// recognises a lack of an answer itself (NoAnswer).
	Classify(err error) Failure
}

// RouteGroup is what a driver has for routes. Routes is always there.
type RouteGroup struct {
	Routes
	// RouteScope is nil where routes lead to every machine and pod network.
	RouteScope RouteScope
}

// Routes programs the cloud's network for pod CIDRs.
type Routes interface {
	// ListRoutes returns only routes that carry this cluster's ownership tag, and all that lead to
	// machines where Capabilities.RoutesUntagged says that there are no ownership tags.
	ListRoutes(ctx context.Context, owner Owner) ([]Route, error)
	CreateRoute(ctx context.Context, owner Owner, route Route) error
	// DeleteRoute succeeds when the route is already gone.
	DeleteRoute(ctx context.Context, owner Owner, route Route) error
}

// RouteScope is for a network that leads to a part of the machines only, or to a part of the pod networks. Its methods are pure.
type RouteScope interface {
	// RoutesTo reports whether routes can lead to that machine. To the Nodes of others somebody else makes
	// routes, and keeps them.
	RoutesTo(machine InstanceID) bool
	// RoutesFor reports whether a pod network can have a route. One that cannot is left out, with an event, where its
	// Node has another one that can.
	RoutesFor(destination netip.Prefix) bool
}

// Firewalls manages the one cluster-wide packet filter in front of the nodes, computed
// from all Services together, as opposed to the state of a single balancer. It is there where the configuration asks for it.
type Firewalls interface {
	// ObserveFirewall reads the managed firewall; Found == false when it does not exist.
	ObserveFirewall(ctx context.Context) (ObservedFirewall, error)
	// NormalizeFirewall rounds openings to what the API would store: sorted, with the fixed
	// rules the cloud needs. The kernel has merged them, and they are within the limits of the
	// Capabilities. It is pure.
	NormalizeFirewall(openings []Opening) ([]Opening, error)
	// ApplyFirewall makes the firewall hold exactly these openings.
	ApplyFirewall(ctx context.Context, before ObservedFirewall, openings []Opening) error
	// BalancerOpenings says which openings on the nodes a balancer of this shape needs to
	// reach its targets. It is pure.
	BalancerOpenings(b Balancer, id string) []Opening
}

// Tagger gives machines tags which users choose.
type Tagger interface {
	// TagLabel is the label of Nodes that remembers with which tags their machine was tagged. Its
	// value is the kernel's.
	TagLabel() string
	// TagResources are the kinds of things that can be tagged: the machines themselves first.
	TagResources() []string
	// Taggable reports whether a machine can have tags. It is pure.
	Taggable(id InstanceID) bool
	// Tag gives machines, and what belongs to them of the other kinds, these tags besides those
	// they have. Machines that do definitely not exist are returned; all others are tagged.
	Tag(ctx context.Context, ids []InstanceID, resources []string, tags map[string]string) (missing []InstanceID, err error)
	// Untag takes these tags away from machines, where they have these values. Machines that do
	// not exist are left out.
	Untag(ctx context.Context, ids []InstanceID, resources []string, tags map[string]string) error
}
