package route

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// BrakeError says that a pass was stopped because it would delete too many routes.
type BrakeError struct {
	// Doomed is how many routes to running machines the pass would delete, of Total.
	Doomed, Total int
	// Err is the refusal of the brake.
	Err error
}

func (e *BrakeError) Error() string {
	return fmt.Sprintf("route brake: %d of %d routes lead to existing machines and would be deleted, so none is: %v", e.Doomed, e.Total, e.Err)
}

func (e *BrakeError) Unwrap() error { return e.Err }

var errNoNodes = errors.New("no nodes are known")

// guard stops a pass that would delete too much. What counts are routes to machines that are
// still there: when the machine is gone, its route is of no use to anybody.
//
//	doomed route's machine  nodes known  counts
//	gone                    any          no
//	exists                  some         with the brake
//	exists                  none         stops the pass
func (m *Manager) guard(ctx context.Context, actual []cloud.Route, nodes directory) error {
	doomed, err := m.doomed(ctx, actual, nodes)
	if err != nil {
		return err
	}
	if err := m.brakes(ctx, m.unreleased(doomed), len(actual), nodes.size); err != nil {
		return &BrakeError{Doomed: len(doomed), Total: len(actual), Err: err}
	}
	return nil
}

func (m *Manager) brakes(ctx context.Context, doomed []cloud.Route, routes, nodes int) error {
	switch {
	case len(doomed) == 0:
		return nil
	case nodes == 0:
		return errNoNodes
	}
	keys := make([]string, len(doomed))
	for n, route := range doomed {
		keys[n] = route.Destination.String()
	}
	_, err := m.Brake.Allow(ctx, routes, keys...)
	return err
}

// doom is a deletion that counts.
type doom struct {
	// since is when a List counted it first.
	since    time.Time
	released bool
}

// Release lets the deletions through that were counted at that time and still are, and no others:
// an operator says that they were meant. Without it they are held until the nodes are back or the
// machines are gone. It returns how many are let through now. What another process counted is not
// known to this one.
func (m *Manager) Release(at time.Time) (released int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, d := range m.dooms {
		d.released = d.released || !d.since.After(at)
		m.dooms[id] = d
		if d.released {
			released++
		}
	}
	return released
}

// unreleased remembers the doomed routes and returns those that nobody released.
func (m *Manager) unreleased(doomed []cloud.Route) []cloud.Route {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.dooms
	m.dooms = make(map[identity]doom, len(doomed))
	var rest []cloud.Route
	for _, route := range doomed {
		id := identity{route.Name, route.Destination}
		d, known := before[id]
		if !known {
			d.since = time.Now()
		}
		m.dooms[id] = d
		if !d.released {
			rest = append(rest, route)
		}
	}
	return rest
}

// doomed returns the routes that would be deleted although their machine exists.
func (m *Manager) doomed(ctx context.Context, actual []cloud.Route, nodes directory) ([]cloud.Route, error) {
	var doomed []cloud.Route
	var targets []cloud.InstanceID
	for _, route := range actual {
		if nodes.doomed(route) && !route.Blackhole && route.Target != "" && m.concerned(route) {
			doomed = append(doomed, route)
			targets = append(targets, route.Target)
		}
	}
	if len(doomed) == 0 {
		return nil, nil
	}
	slices.Sort(targets)
	machines, err := m.Machines.Lookup(ctx, slices.Compact(targets))
	if err != nil {
		return nil, fmt.Errorf("reading machines of %d routes without a node: %w", len(doomed), err)
	}
	return slices.DeleteFunc(doomed, func(route cloud.Route) bool {
		_, exists := machines[route.Target]
		return !exists
	}), nil
}

// concerned says whether the route controller works on that route: it begins or ends in one of the cluster's pod
// networks. A default route does not.
func (m *Manager) concerned(route cloud.Route) bool {
	if len(m.ClusterCIDRs) == 0 {
		return true
	}
	return slices.ContainsFunc(m.ClusterCIDRs, func(cidr netip.Prefix) bool {
		return cidr.Contains(route.Destination.Addr()) || cidr.Contains(last(route.Destination))
	})
}

// last is the last address of a network.
func last(network netip.Prefix) netip.Addr {
	bytes := network.Masked().Addr().AsSlice()
	for bit := network.Bits(); bit < 8*len(bytes); bit++ {
		bytes[bit/8] |= 0x80 >> (bit % 8)
	}
	address, _ := netip.AddrFromSlice(bytes)
	return address
}
