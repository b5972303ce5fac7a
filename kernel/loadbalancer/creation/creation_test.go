package creation

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/annotation"
)

func TestRecordIsReadAsWritten(t *testing.T) {
	at := time.Date(2026, 11, 26, 16, 37, 5, 7, time.FixedZone("", 3600))
	for _, id := range []string{"", "6b2f0c2e"} {
		svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Annotations: Record{At: at, ID: id}.Annotation()}}
		got := Of(svc)
		if got == nil || got.ID != id || !got.At.Equal(at.Truncate(time.Second)) {
			t.Errorf("id %q: read %+v from %v", id, got, svc.Annotations)
		}
	}
}

// A time in the future counts as far as clocks differ.
func TestLeft(t *testing.T) {
	for ago, want := range map[time.Duration]bool{
		0: true, time.Minute: true, Settling - time.Second: true, Settling: false, time.Hour: false,
		-2 * time.Second: true, -time.Minute: false, -Settling: false, -time.Hour: false,
	} {
		r := &Record{At: time.Now().Add(-ago), ID: "a"}
		if left := r.Left(); (left > 0) != want || left > Settling+skew {
			t.Errorf("%v ago: %v left, want any %t", ago, left, want)
		}
	}
}

func TestOtherTextsAreNoRecord(t *testing.T) {
	for _, text := range []string{"", "yes", "{}", `{"id":"a"}`, `{"at":"yesterday"}`, "null"} {
		svc := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{annotation.Creation.Name: text}}}
		if got := Of(svc); got != nil {
			t.Errorf("%q: read %+v, want none", text, got)
		}
	}
}
