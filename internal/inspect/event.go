package inspect

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// LatestEvent returns the latest of the events that count, nil where there is none.
func LatestEvent(events []corev1.Event, counts func(*corev1.Event) bool) *corev1.Event {
	var latest *corev1.Event
	for n := range events {
		if e := &events[n]; counts(e) && (latest == nil || EventTime(e).After(EventTime(latest))) {
			latest = e
		}
	}
	return latest
}

// EventTime is when an event happened last.
func EventTime(e *corev1.Event) time.Time {
	if e.Series != nil {
		return e.Series.LastObservedTime.Time
	}
	if !e.LastTimestamp.IsZero() {
		return e.LastTimestamp.Time
	}
	return e.EventTime.Time
}
