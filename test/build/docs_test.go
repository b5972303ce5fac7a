package build

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

var (
	link       = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	makeTarget = regexp.MustCompile(`\bmake ((?:[a-z0-9][a-z0-9-]* ?)+)`)
	targetLine = regexp.MustCompile(`(?m)^([a-z0-9-]+):`)
)

// documents returns every Markdown file of the repository by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for path := range strings.Lines(listDocuments(t, root)) {
		path = filepath.Join(root, strings.TrimSpace(path))
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found[path] = string(content)
	}
	if len(found) < 10 {
		t.Fatalf("only %d documents found", len(found))
	}
	return found
}

func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	for path, content := range documents(t) {
		for _, match := range link.FindAllStringSubmatch(fence.ReplaceAllString(content, ""), -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), match[1])); err != nil {
				t.Errorf("%s links to %s: %v", path, match[1], err)
			}
		}
	}
}

// Commands are shown in backticks or fenced blocks; prose such as "make it so" is not.
func TestMakeTargetsOfDocumentsExist(t *testing.T) {
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	included, err := filepath.Glob(filepath.Join(root, "hack", "make", "*.mk"))
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, path := range append(included, filepath.Join(root, "Makefile")) {
		makefile, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range targetLine.FindAllStringSubmatch(string(makefile), -1) {
			targets[match[1]] = true
		}
	}
	for path, content := range documents(t) {
		for _, match := range makeTarget.FindAllStringSubmatch(codeOf(content), -1) {
			for target := range strings.FieldsSeq(match[1]) {
				if !targets[target] {
					t.Errorf("%s names `make %s`, which the Makefile does not have", path, target)
				}
			}
		}
	}
}

// codeOf returns what a document shows as code, comments of shell blocks left out.
func codeOf(content string) string {
	var code strings.Builder
	for i, part := range strings.Split(content, "`") {
		if i%2 == 1 || strings.HasPrefix(part, "sh\n") {
			for line := range strings.Lines(part) {
				line, _, _ = strings.Cut(line, "#")
				code.WriteString(strings.TrimSpace(line) + "\n")
			}
		}
	}
	return code.String()
}
