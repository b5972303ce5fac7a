package doctor_test

import (
	"strings"
	"testing"
)

// A cluster in order says nothing, to an administrator and with the controller manager's own rights.
func TestHealthy(t *testing.T) {
	w := newWorld(t)
	w.silent(visit{})
	var lacked []string
	for _, r := range w.doctor(visit{kubeconfig: w.Kubeconfig(), provider: "digitalocean"}) {
		switch {
		case r.Level == skipped && strings.Contains(r.Message, "may not"):
			lacked = append(lacked, r.ID)
		case r.Level != ok:
			t.Errorf("with the controller manager's rights: %s", r)
		}
	}
	t.Logf("with the controller manager's rights %d checks say what they would need: %v", len(lacked), lacked)
}
