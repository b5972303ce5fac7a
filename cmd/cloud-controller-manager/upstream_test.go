package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/registry"
)

var (
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	dropped = regexp.MustCompile("[^a-z0-9 _-]")
)

// anchors are those of a page's headings, as GitHub makes them.
func anchors(t *testing.T, page string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", page))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, match := range heading.FindAllStringSubmatch(string(content), -1) {
		all = append(all, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-"))
	}
	return all
}

// Every paragraph that `adopt` links to is there, and each difference has an id of its own.
func TestLinksOfDifferences(t *testing.T) {
	ids := map[string]bool{}
	for _, p := range registry.All() {
		u := p.Upstream
		if u.Name == "" {
			continue
		}
		there := anchors(t, u.Guide)
		for _, d := range u.Differences {
			switch {
			case ids[d.ID] || !strings.HasPrefix(d.ID, p.Descriptor.Name+"-"):
				t.Errorf("%s: want an id that begins with %s- and is the only one", d.ID, p.Descriptor.Name)
			case d.Text == "" || (d.Node == nil) == (d.Service == nil):
				t.Errorf("%s: want a text, and either Nodes or Services that it is about", d.ID)
			case !slices.Contains(there, d.Anchor):
				t.Errorf("%s: %s has no heading for #%s; there are %q", d.ID, u.Guide, d.Anchor, there)
			}
			ids[d.ID] = true
		}
	}
	if len(ids) == 0 {
		t.Error("no provider has differences")
	}
}
