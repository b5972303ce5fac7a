package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

var errNotSeen = errors.New("nothing has been looked at yet")

// WaitService watches a Service until check returns nil, and returns it as it was then.
// check sees every state, nil while there is no such Service; its error says what is still
// missing, and is part of WaitService's when ctx ends first.
func (l *Lab) WaitService(ctx context.Context, namespace, name string, check func(*corev1.Service) error) (*corev1.Service, error) {
	var found *corev1.Service
	last := errNotSeen
	look := func(svc *corev1.Service) bool {
		found, last = svc, check(svc)
		return last == nil
	}
	err := l.watch(ctx, "services", namespace, fields.OneTermEqualSelector("metadata.name", name), &corev1.Service{},
		func(store cache.Store) (bool, error) {
			if len(store.List()) > 0 {
				return false, nil // an event follows
			}
			return look(nil), nil
		},
		func(event watch.Event) (bool, error) {
			svc, _ := event.Object.(*corev1.Service)
			if event.Type == watch.Deleted {
				svc = nil
			}
			return look(svc), nil
		})
	if err != nil {
		return nil, fmt.Errorf("waiting for service %s/%s: %w; last state: %w", namespace, name, err, last)
	}
	return found, nil
}

// EventFilter selects Events. Zero fields select everything.
type EventFilter struct {
	// Kind and Name are those of the object the Event is about; Namespace is the Event's,
	// which for Nodes is "default".
	Kind, Namespace, Name string
	Reason                string
	// Contains are parts of the message, all of which it has.
	Contains []string
}

// Match reports whether the filter selects the Event.
func (f EventFilter) Match(e *corev1.Event) bool {
	for _, part := range f.Contains {
		if !strings.Contains(e.Message, part) {
			return false
		}
	}
	return f.Reason == "" || e.Reason == f.Reason
}

// WaitEvent returns the first Event that the filter selects, also one from before the call.
// The error lists the Events of the object when ctx ends first.
func (l *Lab) WaitEvent(ctx context.Context, f EventFilter) (*corev1.Event, error) {
	var found *corev1.Event
	var others []string
	err := l.watch(ctx, "events", f.Namespace, f.selector(), &corev1.Event{}, nil, func(event watch.Event) (bool, error) {
		e, ok := event.Object.(*corev1.Event)
		if !ok || event.Type == watch.Deleted {
			return false, nil
		}
		if f.Match(e) {
			found = e
			return true, nil
		}
		others = append(others, e.Reason+": "+e.Message)
		return false, nil
	})
	if err != nil {
		return nil, fmt.Errorf("waiting for event %s of %s %s with %q: %w; there are: %s",
			f.Reason, f.Kind, f.Name, f.Contains, err, strings.Join(others, "\n"))
	}
	return found, nil
}

func (f EventFilter) selector() fields.Selector {
	terms := fields.Set{}
	if f.Kind != "" {
		terms["involvedObject.kind"] = f.Kind
	}
	if f.Name != "" {
		terms["involvedObject.name"] = f.Name
	}
	return fields.SelectorFromSet(terms)
}

// watch runs condition on every state of the selected objects. The error is ctx's cause
// when ctx ends first.
func (l *Lab) watch(ctx context.Context, resource, namespace string, selector fields.Selector, object runtime.Object, synced watchtools.PreconditionFunc, condition watchtools.ConditionFunc) error {
	source := cache.NewListWatchFromClient(l.Client().CoreV1().RESTClient(), resource, namespace, selector)
	_, err := watchtools.UntilWithSync(ctx, source, object, synced, condition)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx) // says more than the watch does
	}
	return err
}
