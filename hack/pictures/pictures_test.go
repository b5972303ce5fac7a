package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// repository is a copy of what pictures are made of.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	paths := []string{measuredFile, comparison, quickstartCast}
	for _, rec := range recordings {
		paths = append(paths, filepath.Join("docs/reference", rec.page))
	}
	for _, path := range paths {
		data, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		write(t, root, path, string(data))
	}
	return root
}

func write(t *testing.T, root, path, text string) {
	t.Helper()
	path = filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func drawn(t *testing.T, root string) map[string][]byte {
	t.Helper()
	pictures := map[string][]byte{}
	for _, draw := range []func(string, map[string][]byte) error{drawStills, drawQuickstart, drawMeasured, drawCounted} {
		if err := draw(root, pictures); err != nil {
			t.Fatal(err)
		}
	}
	return pictures
}

// What a picture is made of changes it, in both themes, and no other one.
func TestPicturesFollow(t *testing.T) {
	for name, tt := range map[string]struct{ path, before, after, changed string }{
		"a recording's text":   {"docs/reference/session-hcloud.md", "in these steps:", "in those steps:", "plan"},
		"a bench record":       {measuredFile, `"callsPerHour": 24`, `"callsPerHour": 25`, "idle"},
		"a count":              {comparison, "| 10 (6) |", "| 11 (6) |", "upstream-aws"},
		"the quickstart's run": {quickstartCast, "127.77.0.1", "127.77.0.9", "quickstart"},
	} {
		t.Run(name, func(t *testing.T) {
			root := repository(t)
			before := drawn(t, root)
			data, err := os.ReadFile(filepath.Join(root, tt.path))
			if err != nil || !strings.Contains(string(data), tt.before) {
				t.Fatalf("%s has no %q: %v", tt.path, tt.before, err)
			}
			write(t, root, tt.path, strings.ReplaceAll(string(data), tt.before, tt.after))
			for file, picture := range drawn(t, root) {
				want := strings.HasPrefix(file, tt.changed+"-")
				if got := string(picture) != string(before[file]); got != want {
					t.Errorf("%s changed: %t, want %t", file, got, want)
				}
			}
		})
	}
}

// What is not there is said, with the place where to look.
func TestWhatIsMissingIsNamed(t *testing.T) {
	for name, tt := range map[string]struct {
		path, before, after, want string
		draw                      func(string, map[string][]byte) error
	}{
		"a command":  {"docs/reference/session-hcloud.md", "cloud-controller-manager doctor", "cloud-controller-manager check", `session-hcloud.md has no command that begins with "doctor"`, drawStills},
		"the table":  {comparison, "| reads (writes) |", "| requests |", "comparison.md has no table", drawCounted},
		"the figure": {measuredFile, "[", "{", "reading test/bench/measured.json", drawMeasured},
		"the head":   {quickstartCast, `"version":2`, `"version":3`, "no head of version 2", drawQuickstart},
		"the end":    {quickstartCast, picturesHeads, "", "is not in it", drawQuickstart},
	} {
		t.Run(name, func(t *testing.T) {
			root := repository(t)
			data, err := os.ReadFile(filepath.Join(root, tt.path))
			if err != nil {
				t.Fatal(err)
			}
			write(t, root, tt.path, strings.ReplaceAll(string(data), tt.before, tt.after))
			if err := tt.draw(root, map[string][]byte{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// Diagrams of the pages name what is in the code.
func TestDiagrams(t *testing.T) {
	root := t.TempDir()
	write(t, root, "README.md", "")
	write(t, root, "kernel/instance/exists.go", "package instance\n\nfunc (i *Inventory) Exists() bool { return true }\n\nfunc (s set[T]) add() {}\n\nfunc New() {}\n")
	write(t, root, "internal/doc.go", "package internal\n")
	write(t, root, "providers/doc.go", "package providers\n")
	write(t, root, "docs/reference/flags.md", "| `--node-deletion-grace` |")
	write(t, root, "docs/reference/commands.md", "`--check`")
	write(t, root, "docs/reference/events.md", "| `NodeDeletionHeld` |")
	for diagram, want := range map[string]string{
		"a[instance.Inventory.Exists(), instance.set.add(), instance.New()]": "",
		"kernel/instance --> b; --node-deletion-grace; adopt --check":        "",
		"the event NodeDeletionHeld, and cloud.Driver":                       "",
		"a[instance.Inventory.Exist()]":                                      "the function instance.Inventory.Exist()",
		"a[cache.Inventory.Exists()]":                                        "the function cache.Inventory.Exists()",
		"kernel/instances":                                                   "the folder kernel/instances",
		"--node-deletion-mercy":                                              "the flag --node-deletion-mercy",
		"event NodeDeletionHolds":                                            "the event NodeDeletionHolds",
	} {
		write(t, root, "docs/page.md", "text\n\n```mermaid\nflowchart TB\n  "+diagram+"\n```\n\n`no.Diagram()`\n")
		err := checkDiagrams(root)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", diagram, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), "docs/page.md: a diagram names "+want+",")):
			t.Errorf("%s: error %v, want one with %q", diagram, err, want)
		}
	}
}

// A picture that no page shows is named.
func TestUse(t *testing.T) {
	root := t.TempDir()
	write(t, root, "README.md", "![plan](docs/assets/pictures/plan-light.svg)")
	write(t, root, "docs/page.md", "![plan](../assets/pictures/plan-dark.svg)")
	if err := checkUse(root, map[string][]byte{"plan-light.svg": nil, "plan-dark.svg": nil}); err != nil {
		t.Error(err)
	}
	if err := checkUse(root, map[string][]byte{"doctor-dark.svg": nil}); err == nil || !strings.Contains(err.Error(), "no page shows docs/assets/pictures/doctor-dark.svg") {
		t.Errorf("error %v", err)
	}
}

func TestThemesHaveColours(t *testing.T) {
	colour := regexp.MustCompile(`^#[0-9a-f]{6}$`)
	for _, theme := range themes {
		all := append([]string{theme.ground, theme.border, theme.text, theme.faint}, theme.terminal[:]...)
		for _, text := range append(all, theme.series...) {
			if !colour.MatchString(text) {
				t.Errorf("%s: %q is no colour", theme.name, text)
			}
		}
	}
}

// The figures of the first page are those of its table and of the bench.
func TestFigures(t *testing.T) {
	root := repository(t)
	page := figuresBegin + "old\n" + figuresEnd + "\n| 12 Nodes, 10 of them not Ready | Nodes after 60 s |\n|---|---:|\n| AWS's own CCM, `v1` | 2 |\n| multicloud-ccm | 11 |\n"
	write(t, root, firstPage, page)
	write(t, root, measuredFile, `[{"cloud": "a", "nodes": 1000, "services": 50, "initialise": {"calls": {"total": 7}}, "secondEnsure": {"writes": 1}},
		{"cloud": "b", "nodes": 1000, "initialise": {"calls": {"total": 4}}}, {"cloud": "a", "nodes": 5000, "services": 60, "initialise": {"calls": {"total": 70}}}]`)
	if err := writeFigures(root); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, firstPage))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"- **11 of 12** Nodes stay", "leaves 2.", "- **4 to 7** requests", "- **1 writes** to the cloud for 50 unchanged Services after a restart (a)."} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	write(t, root, firstPage, "# Nothing\n")
	if err := writeFigures(root); err == nil || !strings.Contains(err.Error(), "docs/index.md lacks the lines") {
		t.Errorf("error %v", err)
	}
}
