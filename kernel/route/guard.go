package route

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

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
	if err := m.brakes(m.unreleased(doomed), len(actual), nodes.size); err != nil {
		return &BrakeError{Doomed: len(doomed), Total: len(actual), Err: err}
	}
	return nil
}

func (m *Manager) brakes(doomed []cloud.Route, routes, nodes int) error {
	if len(doomed) > 0 && nodes == 0 {
		return errNoNodes
	}
	for _, route := range doomed {
		if err := m.brake.Allow(route.Destination.String(), routes); err != nil {
			return err
		}
	}
	return nil
}

// Release lets the deletions through that the last List counted, and no others: an operator
// says that they were meant. Without it they are held until the nodes are back or the machines
// are gone.
func (m *Manager) Release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range m.doomedIDs {
		m.doomedIDs[id] = true
	}
}

// unreleased remembers the doomed routes and returns those that nobody released.
func (m *Manager) unreleased(doomed []cloud.Route) []cloud.Route {
	m.mu.Lock()
	defer m.mu.Unlock()
	released := m.doomedIDs
	m.doomedIDs = make(map[identity]bool, len(doomed))
	var rest []cloud.Route
	for _, route := range doomed {
		id := identity{route.Name, route.Destination}
		m.doomedIDs[id] = released[id]
		if !released[id] {
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
	machines, err := m.machines.Lookup(ctx, slices.Compact(targets))
	if err != nil {
		return nil, fmt.Errorf("reading machines of %d routes without a node: %w", len(doomed), err)
	}
	return slices.DeleteFunc(doomed, func(route cloud.Route) bool {
		_, exists := machines[route.Target]
		return !exists
	}), nil
}

// concerned says whether the route controller works on that route: it lies in one of the
// cluster's pod networks.
func (m *Manager) concerned(route cloud.Route) bool {
	if len(m.cidrs) == 0 {
		return true
	}
	return slices.ContainsFunc(m.cidrs, func(cidr netip.Prefix) bool {
		return cidr.Overlaps(route.Destination)
	})
}
