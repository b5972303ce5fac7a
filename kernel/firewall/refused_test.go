package firewall

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/run"
)

// A refusal is said on each Service of the namespace that caused it, also where nobody else needs
// anything, and where the others have all they need already.
func TestRefusalIsSaid(t *testing.T) {
	const said = " CloudFailure quota: the cloud refuses what Services of this namespace need of the firewall; what is open stays open"
	for name, others := range map[string][]*corev1.Service{
		"alone":        nil,
		"open already": {scattered("shop", "web", 31001, 2)},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(run.Live)
			if _, err := f.reconcile(t.Context(), others...); err != nil {
				t.Fatal(err)
			}
			f.cloud.poison = 30000
			for range 2 {
				if _, err := f.reconcile(t.Context(), append(others, scattered("bad", "bad", 30000, 1), scattered("bad", "good", 30010, 1))...); err == nil {
					t.Error("no error although the cloud refuses something")
				}
			}
			if len(f.events) != 2 || f.events[0] != "Service bad/bad"+said || f.events[1] != "Service bad/good"+said {
				t.Errorf("events %q", f.events)
			}
		})
	}
}

// Two namespaces need the opening that the cloud refuses: both are told.
func TestRefusalIsSaidInEachNamespace(t *testing.T) {
	f := newFixture(run.Live)
	f.cloud.poison = 30000
	if _, err := f.reconcile(t.Context(), scattered("bad", "one", 30000, 1), scattered("worse", "two", 30000, 1)); err == nil {
		t.Error("no error although the cloud refuses something")
	}
	if len(f.events) != 2 || !strings.HasPrefix(f.events[0], "Service bad/one CloudFailure") || !strings.HasPrefix(f.events[1], "Service worse/two CloudFailure") {
		t.Errorf("events %q", f.events)
	}
}
