package route

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
)

// longPause is for how long the cloud is not asked for a route again that it refused. Where rights are missing, which nothing shows
// when they come, the pause begins with firstPause and doubles up to rightsPause.
const (
	longPause   = 30 * time.Minute
	firstPause  = time.Minute
	rightsPause = 5 * time.Minute
)

// RefusedError says that a route is not made because the cloud refused it, and nothing has changed since.
type RefusedError struct {
	// Pause is for how long the cloud is not asked again.
	Pause time.Duration
	// Err is the refusal.
	Err error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%v; the cloud is asked again when the machine or the addresses of the Node change, when a route goes, and from time to time", e.Err)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// Held reports whether an error of Create says that the cloud is not asked for the route before something changes, and
// for how long at most; 0 is without end.
func Held(err error) (pause time.Duration, held bool) {
	if full, ok := errors.AsType[*FullError](err); ok {
		return full.Pause, true
	}
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return refused.Pause, true
	}
	return 0, false
}

// refusals is what is remembered of routes that the cloud refused to make:
//
//	class         what is not asked for               before
//	quota         this route, and any further one of  a route goes, or half an hour is over: then one is asked for
//	              its family
//	invalid       this route                          its Node changes, a route goes, or half an hour is over
//	unauthorized  this route                          the same after a minute, which doubles up to five
//	any other     nothing: a conflict, say, passes
//	              in seconds
//
// The zero refusals knows of none. It is safe for concurrent use.
type refusals struct {
	mu sync.Mutex
	// full are refusals for quota, by family: of IPv4, or not.
	full map[bool]refusal
	// of are those of single routes.
	of map[routeKey]refusal
}

// refusal is why and until when something is not asked for.
type refusal struct {
	// input is what was asked for.
	input string
	until time.Time
	pause time.Duration
	err   error
}

// holds returns the error of what is not to be asked for, nil where it may be. further says that there is no route yet to the
// destination.
func (r *refusals) holds(key routeKey, input string, further bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, family := time.Now(), key.destination.Addr().Is4()
	if one, known := r.of[key]; known && one.input == input && now.Before(one.until) {
		return one.err
	}
	full, known := r.full[family]
	if !known || !further {
		return nil
	}
	if now.Before(full.until) {
		return full.err
	}
	full.until = now.Add(firstPause) // others wait for what this one is answered
	r.full[family] = full
	return nil
}

// note remembers what a creation came to, and returns its error as one that says so.
func (r *refusals) note(key routeKey, input string, err error) error {
	if _, held := Held(err); held {
		return err
	}
	if _, runs := errors.AsType[*cloud.Running](err); runs {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before, family := r.of[key], key.destination.Addr().Is4()
	delete(r.of, key)
	if err == nil {
		delete(r.full, family)
		return nil
	}
	one := refusalOf(input, before, err)
	if one.pause == 0 {
		return err
	}
	if r.of == nil {
		r.full, r.of = map[bool]refusal{}, map[routeKey]refusal{}
	}
	r.of[key] = one
	if cloud.IsClass(err, cloud.FailureQuota) {
		r.full[family] = one
	}
	return one.err
}

// refusalOf is what is remembered of a failure after an earlier one, without a pause where that is nothing.
func refusalOf(input string, before refusal, err error) refusal {
	one := refusal{input: input, pause: longPause}
	switch cloud.FailureOf(err).Class {
	case cloud.FailureQuota:
		one.err = &FullError{Pause: one.pause, Err: err}
	case cloud.FailureInvalid:
		one.err = &RefusedError{Pause: one.pause, Err: err}
	case cloud.FailureUnauthorized:
		one.pause = firstPause
		if before.input == input {
			one.pause = min(max(2*before.pause, firstPause), rightsPause)
		}
		one.err = &RefusedError{Pause: one.pause, Err: err}
	default:
		return refusal{}
	}
	one.until = time.Now().Add(one.pause)
	return one
}

// forget forgets all: a route is gone.
func (r *refusals) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.full)
	clear(r.of)
}

// keep forgets the routes that no Node wants any more.
func (r *refusals) keep(wanted map[routeKey]struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.of, func(key routeKey, _ refusal) bool {
		_, is := wanted[key]
		return !is
	})
}

// inputOf is what decides about the creation of a route.
func inputOf(route cloud.Route, node *corev1.Node) string {
	return fmt.Sprint(route.Target, " ", route.NodeUID, " ", route.NextHop, " ", node.Status.Addresses)
}

// tellHeld tells a Node that the cloud is not asked for its route.
func (m *Manager) tellHeld(node *corev1.Node, destination netip.Prefix, err error) {
	if _, held := Held(err); !held || m.Events == nil {
		return
	}
	reason := event.RouteRefused
	if _, full := errors.AsType[*FullError](err); full {
		reason = event.RouteLimitReached
	}
	text := fmt.Sprintf("no route to %s was made: %v", destination, err)
	if advice := cloud.Advice(err); advice != "" {
		text += "; " + advice
	}
	m.Events.Record(event.About("Node", node), reason, text)
}
