// Package route keeps the cloud's routes for pod networks. The framework's route controller
// decides what to create and delete; this package translates between nodes and machines,
// shows it only routes this cluster owns, and refuses a pass that would delete too many.
package route

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/plan"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// Machines finds the machines behind nodes.
type Machines interface {
	// Lookup returns the machines the cloud has; a missing id was definitely not found.
	Lookup(ctx context.Context, ids []cloud.InstanceID) (map[cloud.InstanceID]cloud.Instance, error)
	// At returns the machines that have these internal addresses, and "" for an address that no machine has. An
	// address that cannot be looked up is missing.
	At(ctx context.Context, addresses []netip.Addr) (map[netip.Addr]cloud.InstanceID, error)
	// ProviderID returns the id in a node's provider-ID.
	ProviderID(node *corev1.Node) (cloud.InstanceID, error)
}

// Brake bounds deletions, see safety.Brake. It must not be the one nodes are counted with:
// its keys are destinations.
type Brake interface {
	// Allow returns those of the keys whose objects, some of total, may be deleted, and an
	// error when that is not all of them.
	Allow(ctx context.Context, total int, keys ...string) ([]string, error)
}

// Options are what a Manager works with. All are required except ClusterCIDRs.
type Options struct {
	// Cloud must have Routes.
	Cloud    *run.Cloud
	Machines Machines
	// Nodes returns this cloud's nodes from a synced cache.
	Nodes     func() []*corev1.Node
	ClusterID string
	// ClusterCIDRs are the pod networks the route controller works on; it leaves routes
	// elsewhere alone. Without them every route counts.
	ClusterCIDRs []netip.Prefix
	Executor     *run.Executor
	Brake        Brake
	// Events is nil where nobody is told.
	Events event.Recorder
}

// Route sends a node's pod network to it.
type Route struct {
	// Name is the cloud's name of the route.
	Name string
	// Node is "" when no node has the machine.
	Node        string
	Destination netip.Prefix
	Blackhole   bool
}

// Manager manages the routes of one cloud. It is safe for concurrent use.
type Manager struct {
	Options
	owner cloud.Owner
	// notices are what Nodes are told in each List.
	notices event.Once
	// refusals are what the cloud is not asked for.
	refusals refusals

	mu sync.Mutex
	// listed are the routes of the last List: Delete gets only a name and a destination.
	listed map[identity]cloud.Route
	// held is how many routes there are, those of others among them, and destinations what they lead to.
	held         int
	destinations map[netip.Prefix]bool
	// dooms are the deletions of the last List that count.
	dooms map[identity]doom
}

type identity struct {
	name        string
	destination netip.Prefix
}

// New returns a Manager.
func New(o Options) *Manager {
	return &Manager{Options: o, owner: cloud.Owner{Cluster: o.ClusterID, Cloud: o.Cloud.Name}, notices: event.Once{Next: o.Events}}
}

// List returns the routes this cluster owns. Whatever it returns and no node accounts for
// will be deleted, so with any doubt about the answer, and when the brake holds (a
// *BrakeError), it returns an error instead.
//
//	a route that a node wants  answer
//	is partial                 left out: the controller creates it again, which completes it
//	is a black hole            shown as a good one: the machine is off, or about to be gone
//	                           with its node. Deleting and creating it would only repeat
func (m *Manager) List(ctx context.Context) ([]Route, error) {
	ctx = cloud.WithPriority(ctx, cloud.PriorityRefresh)
	nodes := newDirectory(m.Nodes(), m.Machines, m.Cloud.RouteScope)
	actual, err := m.read(ctx, nodes)
	if err != nil {
		return nil, err
	}
	if err := m.guard(ctx, actual, nodes); err != nil {
		return nil, err
	}
	var routes []Route
	for _, route := range actual {
		wanted := nodes.wants(route)
		if wanted && route.Impaired != "" {
			m.tell(nodes.byID[route.Target], event.RouteImpaired, fmt.Sprintf("the route to %s is there, but %s", route.Destination, route.Impaired))
		}
		if nodes.undecided(route) || wanted && route.Partial {
			continue
		}
		routes = append(routes, Route{
			Name: route.Name, Node: nodes.nodeName(route.Target),
			Destination: route.Destination, Blackhole: route.Blackhole && !wanted,
		})
	}
	routes = append(routes, m.leftOut(nodes)...)
	m.refusals.keep(m.wanted())
	m.notices.Round()
	return routes, nil
}

// Delete removes a route that List returned. One that is gone, or was never ours, is left
// as it is.
func (m *Manager) Delete(ctx context.Context, route Route) error {
	ctx = cloud.WithPriority(ctx, cloud.PriorityNodeInit)
	actual, found, err := m.recall(ctx, route)
	if err != nil || !found {
		return err
	}
	return m.write(ctx, operation(cloud.Delete, actual, route.Node), func(ctx context.Context) error {
		err := m.count(-1, m.Cloud.Routes.DeleteRoute(ctx, m.owner, actual))
		if err == nil {
			m.refusals.forget()
		}
		return err
	})
}

// write executes one operation. Route tables are one object on most clouds, so writes go one
// after the other there; the route controller starts up to 200 at once.
func (m *Manager) write(ctx context.Context, op cloud.Operation, f func(context.Context) error) error {
	p := plan.Plan{Cloud: m.Cloud.Name, Subject: "routes", Operations: []cloud.Operation{op}}
	key := "routes"
	if m.Cloud.Descriptor.Capabilities.RoutesApart {
		key += " " + op.Key
	}
	return m.Executor.Execute(ctx, key, p, f)
}

func operation(verb cloud.Verb, route cloud.Route, node string) cloud.Operation {
	target := string(route.Target)
	if node != "" {
		target = node + " (" + target + ")"
	}
	op := cloud.Operation{Verb: verb, Kind: cloud.KindRoute, Key: route.Destination.String()}
	if verb == cloud.Create {
		op.After = target
	} else {
		op.Before = target
	}
	return op
}

// read lists the routes from the cloud and remembers those this cluster owns.
func (m *Manager) read(ctx context.Context, nodes directory) ([]cloud.Route, error) {
	routes, err := m.Cloud.Routes.ListRoutes(ctx, m.owner)
	if err != nil {
		return nil, fmt.Errorf("listing routes: %w", err)
	}
	listed, destinations := make(map[identity]cloud.Route, len(routes)), make(map[netip.Prefix]bool, len(routes))
	for i, route := range routes {
		if !route.Destination.IsValid() {
			return nil, fmt.Errorf("listing routes: route %q has no destination", route.Name)
		}
		routes[i].Destination = route.Destination.Masked()
		destinations[routes[i].Destination] = true
	}
	held := len(routes)
	if err := m.resolve(ctx, routes, nodes); err != nil {
		return nil, err
	}
	routes = slices.DeleteFunc(routes, func(route cloud.Route) bool {
		unknown := route.NextHop.IsValid() && route.Target == "" && !route.Blackhole
		return unknown || m.Cloud.Descriptor.Capabilities.RoutesUntagged && !m.ours(route, nodes)
	})
	for _, route := range routes {
		listed[identity{route.Name, route.Destination}] = route
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for before := range m.destinations {
		if !destinations[before] {
			m.refusals.forget()
			break
		}
	}
	m.listed, m.held, m.destinations = listed, held, destinations
	return routes, nil
}

// ours decides whose a route without an ownership tag is.
//
//	destination           leads to                  ours
//	not of the cluster's  –                         no
//	pod networks
//	of them               a node's machine          yes
//	of them               a machine no node has     no: it may be anybody's. If it was our node's, the
//	                                                route stays until the machine is gone, or until
//	                                                another node gets the network
//	of them               nothing any more          yes
//	of them               an address that cannot    no
//	                      be looked up
func (m *Manager) ours(route cloud.Route, nodes directory) bool {
	_, known := nodes.byID[route.Target]
	return m.concerned(route) && (known || route.Blackhole)
}

// recall returns the cloud's own form of a listed route; after a restart it lists again.
func (m *Manager) recall(ctx context.Context, route Route) (cloud.Route, bool, error) {
	id := identity{route.Name, route.Destination.Masked()}
	m.mu.Lock()
	actual, found := m.listed[id]
	m.mu.Unlock()
	if found {
		return actual, true, nil
	}
	routes, err := m.read(ctx, newDirectory(m.Nodes(), m.Machines, m.Cloud.RouteScope))
	if err != nil {
		return cloud.Route{}, false, fmt.Errorf("deleting route %s: %w", route.Destination, err)
	}
	for _, actual := range routes {
		if (identity{actual.Name, actual.Destination}) == id {
			return actual, true, nil
		}
	}
	return cloud.Route{}, false, nil
}
