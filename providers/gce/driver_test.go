package gce

import (
	"slices"
	"strings"
	"testing"
)

// A project that is named twice is read once, and said to be.
func TestProjectsOf(t *testing.T) {
	for text, want := range map[string]struct{ projects, warned []string }{
		"":           {projects: []string{"own"}},
		"a, b":       {projects: []string{"own", "a", "b"}},
		"a, a, b, a": {projects: []string{"own", "a", "b"}, warned: []string{`"a"`, `"a"`}},
		"own, a":     {projects: []string{"own", "a"}, warned: []string{`"own"`}},
	} {
		s, err := readSettings(lookup(map[string]string{envNodeProjects: text}))
		if err != nil {
			t.Fatal(err)
		}
		var warned []string
		got := projectsOf("own", s.nodeProjects, func(warning string) { warned = append(warned, warning) })
		fits := slices.EqualFunc(warned, want.warned, func(warning, part string) bool {
			return strings.Contains(warning, part) && strings.Contains(warning, envNodeProjects)
		})
		if !slices.Equal(got, want.projects) || !fits {
			t.Errorf("%q: %q, warnings %q", text, got, warned)
		}
		if silent := projectsOf("own", s.nodeProjects, nil); !slices.Equal(silent, got) {
			t.Errorf("%q: %q without anybody to warn", text, silent)
		}
	}
}
