package route

import (
	"errors"
	"fmt"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// FullError says that a route is not made because the cloud's network holds no more of them.
type FullError struct {
	// Most is how many it holds.
	Most int
}

func (e *FullError) Error() string {
	return fmt.Sprintf("the cloud's network holds %d routes, and has them: there is no room for another one until one of them goes", e.Most)
}

// full returns a *FullError when there is no room for a route, and tells its Node.
func (m *Manager) full(node string, route cloud.Route) error {
	full := m.fullWith(m.room())
	if full != nil && m.Events != nil {
		object := event.Object{Kind: "Node", Name: node, UID: route.NodeUID}
		m.Events.Record(object, event.RouteLimitReached, fmt.Sprintf("no route to %s was made: %v", route.Destination, full))
	}
	return full
}

// more is how many routes there are more after the creation of one: none where there is one with its destination, which
// is completed, or is as it has to be. The error is a *FullError.
func (m *Manager) more(node string, route cloud.Route) (int, error) {
	m.mu.Lock()
	present := m.destinations[route.Destination]
	m.mu.Unlock()
	if present {
		return 0, nil
	}
	return 1, m.full(node, route)
}

// fullWith returns a *FullError when there is no room.
func (m *Manager) fullWith(room int) error {
	if most := m.Cloud.Descriptor.Capabilities.MaxRoutes; most > 0 && room <= 0 {
		return &FullError{Most: most}
	}
	return nil
}

// room is how many more routes the network holds, as the last list says and what was done since.
func (m *Manager) room() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.Cloud.Descriptor.Capabilities.MaxRoutes - m.held
}

// count counts a route that was made or deleted, and returns the error of that.
func (m *Manager) count(change int, err error) error {
	if _, runs := errors.AsType[*cloud.Running](err); err == nil || runs {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.held += change
	}
	return err
}
