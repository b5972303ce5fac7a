package inspect

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Each API writes the time of an event into another field.
func TestLatestEvent(t *testing.T) {
	at := func(second int64) time.Time { return time.Unix(second, 0) }
	events := []corev1.Event{
		{Message: "last", LastTimestamp: metav1.NewTime(at(2))},
		{Message: "of a series", LastTimestamp: metav1.NewTime(at(1)), Series: &corev1.EventSeries{LastObservedTime: metav1.NewMicroTime(at(4))}},
		{Message: "once", EventTime: metav1.NewMicroTime(at(3))},
	}
	left := map[string]bool{}
	for _, want := range []string{"of a series", "once", "last"} {
		latest := LatestEvent(events, func(e *corev1.Event) bool { return !left[e.Message] })
		if latest == nil || latest.Message != want {
			t.Fatalf("the latest is %v, want %q", latest, want)
		}
		left[want] = true
	}
	if latest := LatestEvent(events, func(*corev1.Event) bool { return false }); latest != nil {
		t.Errorf("of no events the latest is %v", latest)
	}
}
