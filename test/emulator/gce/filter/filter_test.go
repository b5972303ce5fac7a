package filter_test

import (
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/emulator/gce/filter"
)

var object = map[string]any{
	"name": "node-1", "status": "RUNNING", "priority": 1000, "description": "k8s-node-route",
	"labels":            map[string]any{"owner": "me", "k8s.io/x": "y"},
	"scheduling":        map[string]any{"automaticRestart": true},
	"networkInterfaces": []any{map[string]any{"networkIP": "10.0.0.2"}, map[string]any{"networkIP": "10.0.0.3"}},
}

func TestFilter(t *testing.T) {
	for text, want := range map[string]bool{
		"":                   true,
		"name eq node-.*":    true,
		"name eq node":       false,
		"name ne node-.*":    false,
		"name eq (node|x)-1": true,
		"(name eq node-1) (description eq 'k8s-node-route')": true,
		"(name eq node-1)(status ne \"RUNNING\")":            false,
		"name = node-1":                        true,
		"name=node-*":                          true,
		"name != node-1":                       false,
		"name = *-1 AND status = RUNNING":      true,
		"labels.owner:*":                       true,
		"labels.other:*":                       false,
		"labels.k8s.io/x=y":                    false, // "/" is not part of a name
		"scheduling.automaticRestart=true":     true,
		"priority >= 1000":                     true,
		"priority < 1000":                      false,
		"networkInterfaces.networkIP=10.0.0.3": true,
		"(name = a) OR (name = node-1) AND (status = TERMINATED)": false,
		"NOT name = a":  true,
		"missing = 1":   false,
		"missing != 1":  true,
		"name:ode":      true,
		"name > node-0": true,
	} {
		f, err := filter.Parse(text)
		if text == "labels.k8s.io/x=y" {
			if err == nil {
				t.Errorf("%q was read", text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := f(object); got != want {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestFilterRefuses(t *testing.T) {
	for _, text := range []string{"name", "name eq", "= x", "(name = a", "name = a)", "name eq [", "name = 'a", "NOT", "(name eq a) (name = b)", "name = a OR"} {
		if _, err := filter.Parse(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func FuzzFilter(f *testing.F) {
	for _, text := range []string{"name eq a.*", "(a = b) OR c:d", "NOT (a != 'b')", "((((", "a eq (b)"} {
		f.Add(text)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		if parsed, err := filter.Parse(text); err == nil {
			parsed(object)
		}
	})
}
