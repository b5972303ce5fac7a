package instance

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// A type that has no labels is not asked for again, so that its Nodes wait for nobody.
func TestTypesWithoutLabels(t *testing.T) {
	simulate(t, func(t *testing.T) {
		l := newLabelled(aws)
		i := l.inventoryOf(l, nil)
		plain := func(name string) *corev1.Node {
			l.change(l.boot(name), func(m *cloud.Instance) { m.Type = "plain" })
			return l.join(name)
		}
		if _, err := i.Metadata(t.Context(), plain("first")); err != nil {
			t.Fatal(err)
		}
		asked := len(l.asked)
		l.fail(errDown)
		if _, err := i.Metadata(t.Context(), plain("second")); err != nil || len(l.asked) != asked {
			t.Errorf("%d more calls for a type without labels, %v", len(l.asked)-asked, err)
		}
	})
}

// A type of which nothing but the zone's labels is known is not asked for again where these were read, also by thousands.
func TestTypesWithoutLabelsButTheZones(t *testing.T) {
	simulate(t, func(t *testing.T) {
		l := newLabelled(aws)
		l.zoned = true
		i := l.inventoryOf(l, nil)
		for n, c := range []struct {
			zone  string
			tells bool // the machine itself has the label
			more  int  // calls
		}{
			{"a", false, 1}, {"a", false, 0}, {"b", false, 1}, {"b", false, 0}, {"c", true, 0}, {"a", false, 0},
		} {
			name := fmt.Sprintf("plain-%d", n)
			l.change(l.boot(name), func(m *cloud.Instance) {
				if m.Type, m.Zone = "plain", c.zone; c.tells {
					m.Labels = map[string]string{labelZone: "z" + c.zone}
				}
			})
			asked := len(l.asked)
			machine, err := i.Metadata(t.Context(), l.join(name))
			if err != nil || machine.Labels[labelZone] != "z"+c.zone || len(l.asked)-asked != c.more {
				t.Errorf("%s in zone %s: %v, %v, with %d more calls, want %d", name, c.zone, machine.Labels, err, len(l.asked)-asked, c.more)
			}
		}
		l.boot("racked")
		if machine, err := i.Metadata(t.Context(), l.join("racked")); err != nil || machine.Labels[labelRack] == "" {
			t.Errorf("a type that has labels: %v, %v", machine.Labels, err)
		}
	})
}
