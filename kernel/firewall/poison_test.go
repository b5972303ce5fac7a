package firewall

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// TestOneRefusedOpeningStopsNobody: the cloud refuses the openings of one namespace, for whatever
// reason. Those of the others are made, and closings too.
func TestOneRefusedOpeningStopsNobody(t *testing.T) {
	f := newFixture(run.Live)
	gone := scattered("shop", "gone", 32000, 1)
	if _, err := f.reconcile(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	f.cloud.poison = 30000
	services := []*corev1.Service{scattered("bad", "bad", 30000, 1), scattered("shop", "web", 31001, 2), scattered("blog", "web", 31101, 1)}
	for range 2 {
		if _, err := f.reconcile(t.Context(), services...); err == nil || !strings.Contains(err.Error(), "4 rules") {
			t.Errorf("error = %v, want what the cloud said about all four", err)
		}
		for port, open := range map[int]bool{30000: false, 31001: true, 31003: true, 31101: true, 32000: false} {
			if got := len(admitted(f.cloud.firewall.Openings, port)) > 0; got != open {
				t.Errorf("port %d is open: %v, want %v", port, got, open)
			}
		}
	}
	f.cloud.poison = 0
	if _, err := f.reconcile(t.Context(), services...); err != nil || len(admitted(f.cloud.firewall.Openings, 30000)) == 0 {
		t.Errorf("when the cloud takes it, it is not open: %v", err)
	}
}
