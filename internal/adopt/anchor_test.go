package adopt

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	dropped = regexp.MustCompile(`[^a-z0-9 _-]`)
)

// Every paragraph that differences of all clouds link to is there.
func TestAnchorsOfGuide(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "..", Guide))
	if err != nil {
		t.Fatal(err)
	}
	var there []string
	for _, match := range heading.FindAllStringSubmatch(string(content), -1) {
		there = append(there, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-"))
	}
	all := []general{foreign, optedOut, unmanaged, deleted, uninitialised, nodeChanges, changes, blocked, refused, throughProxy, sharedChanges, closedFirewall}
	var anchors []string
	for _, d := range all {
		anchors = append(anchors, d.anchor)
	}
	for _, d := range said {
		anchors = append(anchors, d.anchor)
	}
	for _, anchor := range anchors {
		if !slices.Contains(there, anchor) {
			t.Errorf("%s has no heading for #%s; there are %q", Guide, anchor, there)
		}
	}
}
