package app

import (
	"slices"
	"strings"
	"testing"
)

func TestSubjectArgs(t *testing.T) {
	for given, want := range map[string]string{
		"":                  "",
		"service web":       "service web",
		"svc web":           "service web",
		"services shop/web": "service shop/web",
		"service/web":       "service web",
		"svc/shop/web":      "service shop/web",
		"service/web extra": "service web extra",
		"service/":          "service ",
		"no worker-1":       "node worker-1",
		"nodes/worker-1":    "node worker-1",
		"firewall":          "firewall",
		"pod/web":           "pod/web",
	} {
		if got := subjectArgs(strings.Fields(given)); !slices.Equal(got, strings.Split(want, " ")) && (given != "" || len(got) > 0) {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}

func TestPlanArgs(t *testing.T) {
	for given, want := range map[string]string{
		"": "", "nodes": "nodes", "node": "nodes", "no/worker-1": "nodes worker-1", "route": "routes", "svc/web": "service web", "firewall": "firewall",
	} {
		if got := strings.Join(planArgs(strings.Fields(given)), " "); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
