package build

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/inventory"
	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

var (
	fence      = regexp.MustCompile("(?m)^( *)```([a-z]*)(?: title=[^\n]*)?\n((?s:.*?))^ *```$")
	subcommand = regexp.MustCompile(`cloud-controller-manager ([a-z][a-z-]+)`)
	heading    = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	anchorLink = regexp.MustCompile(`\]\(([^)#\s]*)#([^)\s]+)\)`)
)

// Every block of a document is checked for what it is. What installs the chart is rendered by
// test/chart; make targets are checked in docs_test.go.
func TestBlocksOfDocuments(t *testing.T) {
	kinds := map[string]int{}
	for path, content := range documents(t) {
		for _, match := range fence.FindAllStringSubmatch(content, -1) {
			kind, text := match[2], strings.ReplaceAll("\n"+match[3], "\n"+match[1], "\n")
			kinds[kind]++
			if err := checkBlock(t, kind, text); err != nil {
				t.Errorf("%s: a block of %s: %v\n%s", path, kind, err, text)
			}
		}
	}
	t.Logf("blocks checked, by kind: %v", kinds)
	for _, kind := range []string{"sh", "yaml"} {
		if kinds[kind] < 5 {
			t.Errorf("only %d blocks of %s found", kinds[kind], kind)
		}
	}
}

func checkBlock(t *testing.T, kind, text string) error {
	t.Helper()
	switch kind {
	case "sh":
		return checkShell(t, text)
	case "yaml":
		for document := range strings.SplitSeq(text, "\n---\n") {
			var value any
			if err := yaml.UnmarshalStrict([]byte(document), &value); err != nil {
				return err
			}
			if object, ok := value.(map[string]any); ok && object["kind"] == cloud.InventoryKind {
				if _, err := inventory.Open(func() ([]byte, error) { return []byte(document), nil }); err != nil {
					return err
				}
			}
		}
	case "json":
		var value any
		if err := json.NewDecoder(strings.NewReader(text)).Decode(&value); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

// checkShell parses commands, and looks for the program's commands and flags.
func checkShell(t *testing.T, text string) error {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-n")
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(text), &said
	if err := cmd.Run(); err != nil {
		return errors.New(said.String())
	}
	known := commands(t)
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		for _, match := range subcommand.FindAllStringSubmatch(line, -1) {
			if !slices.Contains(known, match[1]) && !strings.Contains(line, "cloud-controller-manager "+match[1]+"=") {
				return errors.New("the program has no command " + match[1])
			}
		}
	}
	return nil
}

// commands are the program's, from its generated page.
func commands(t *testing.T) []string {
	t.Helper()
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "reference", "commands.md"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, match := range regexp.MustCompile("(?m)^## `?([a-z-]+)").FindAllStringSubmatch(string(page), -1) {
		names = append(names, match[1])
	}
	return names
}

// Anchors are those that GitHub makes, and the site.
func TestAnchorsOfDocumentsExist(t *testing.T) {
	all := documents(t)
	anchors := map[string][]string{}
	for path, content := range all {
		for _, match := range heading.FindAllStringSubmatch(fence.ReplaceAllString(content, ""), -1) {
			anchors[path] = append(anchors[path], slug(match[1]))
		}
	}
	for path, content := range all {
		for _, match := range anchorLink.FindAllStringSubmatch(fence.ReplaceAllString(content, ""), -1) {
			target := path
			if strings.Contains(match[1], "://") {
				continue
			}
			if match[1] != "" {
				target = filepath.Join(filepath.Dir(path), match[1])
			}
			if strings.HasSuffix(target, ".md") && !slices.Contains(anchors[target], match[2]) {
				t.Errorf("%s links to %s#%s, which has no such heading", path, match[1], match[2])
			}
		}
	}
}

var dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// slug is the anchor of a heading.
func slug(title string) string {
	title = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(title, "$1")
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}

// The page about clouds that ended says of each name what --cloud-provider says.
func TestCloudsThatEndedAreOnTheirPage(t *testing.T) {
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(root, "internal", "cloudname", "cloudname.go"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "explanation", "clouds-that-ended.md"))
	if err != nil {
		t.Fatal(err)
	}
	names, _, _ := strings.Cut(string(source), "// otherSpellings")
	entries := regexp.MustCompile(`(?m)^\t"([a-z0-9]+)":\s+"([^"]+)",$`).FindAllStringSubmatch(names, -1)
	if len(entries) < 10 {
		t.Fatalf("only %d names found in the source", len(entries))
	}
	for _, e := range entries {
		if slices.Contains([]string{"external", "k3s", "rke2"}, e[1]) {
			continue // no clouds
		}
		row := "| `" + e[1] + "` | " + strings.ToUpper(e[2][:1]) + regexp.MustCompile(`(https://[^\s;),]+)`).ReplaceAllString(e[2][1:], "<$1>") + " |"
		if !strings.Contains(string(page), row) {
			t.Errorf("the page has no line\n%s", row)
		}
	}
}
