package route

import (
	"errors"
	"fmt"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// FullError says that a route is not made because the cloud's network holds no more of them.
type FullError struct {
	// Most is how many it holds, 0 where only the cloud knows.
	Most int
	// Err is the cloud's refusal, and Pause for how long it is not asked again, where it has refused one.
	Err   error
	Pause time.Duration
}

func (e *FullError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("the cloud makes no more routes (%v): it is asked again when one of them goes, and after %s", e.Err, e.Pause)
	}
	return fmt.Sprintf("the cloud's network holds %d routes, and has them: there is no room for another one until one of them goes", e.Most)
}

func (e *FullError) Unwrap() error { return e.Err }

// present says whether there is a route to the destination, which a creation completes, or finds as it has to be.
func (m *Manager) present(route cloud.Route) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.destinations[route.Destination]
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
