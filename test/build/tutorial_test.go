package build

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// titled is a block of a page: its kind, the file that it is or changes, and its text.
var titled = regexp.MustCompile("(?m)^```([a-z]+)(?: title=\"([^\"]+)\")?\n((?s:.*?))^```$")

// reader follows the tutorial: what they write is laid over the repository, which stays as it is.
type reader struct {
	*testing.T
	root, dir string
	// files are those they wrote, by their path in the repository; "" is one they removed.
	files map[string]string
	// said is what the last command printed.
	said string
}

// Every step of the page can be compiled, its commands end well, and the end is the example.
func TestTutorial(t *testing.T) {
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{T: t, root: root, dir: t.TempDir(), files: map[string]string{}}
	steps := 0
	for _, block := range titled.FindAllStringSubmatch(r.read(filepath.Join(root, "docs", "how-to", "add-a-cloud.md")), -1) {
		switch kind, path, text := block[1], block[2], block[3]; kind {
		case "go":
			r.write(path, text)
		case "diff":
			r.change(path, text)
		case "sh":
			for command := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
				r.run(strings.TrimSpace(command))
				steps++
			}
		case "text":
			for line := range strings.Lines(text) {
				if !strings.Contains(r.said, strings.TrimSpace(line)) {
					t.Errorf("the page says that this is printed:\n%sprinted was\n%s", line, r.said)
				}
			}
		}
	}
	if steps < 7 {
		t.Errorf("only %d commands found", steps)
	}
	r.arrived()
}

func (r *reader) read(path string) string {
	r.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		r.Fatal(err)
	}
	return string(content)
}

func (r *reader) write(path, text string) {
	r.Helper()
	r.files[path] = filepath.Join(r.dir, path)
	if err := os.MkdirAll(filepath.Dir(r.files[path]), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(r.files[path], []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// change applies the hunks of a diff to a file that is there.
func (r *reader) change(path, hunks string) {
	r.Helper()
	cmd := exec.CommandContext(r.Context(), "git", "apply", "-")
	cmd.Dir, cmd.Stdin = r.dir, strings.NewReader("--- a/"+path+"\n+++ b/"+path+"\n"+hunks)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.Fatalf("changing %s: %v: %s\n%s", path, err, out, hunks)
	}
}

// run carries out a command of the page on what there is so far.
func (r *reader) run(command string) {
	r.Helper()
	if files, ok := strings.CutPrefix(command, "rm "); ok {
		for path := range strings.FieldsSeq(r.shell("ls " + files)) {
			r.files[path] = ""
		}
		return
	}
	replaced := map[string]string{}
	for path, file := range r.files {
		replaced[filepath.Join(r.root, path)] = file
	}
	content, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		r.Fatal(err)
	}
	overlay := filepath.Join(r.dir, "overlay.json")
	if err := os.WriteFile(overlay, content, 0o600); err != nil {
		r.Fatal(err)
	}
	r.said = r.shell(command, "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay)
}

// shell runs a command at the top of the repository and returns what it prints.
func (r *reader) shell(command string, env ...string) string {
	r.Helper()
	cmd := exec.CommandContext(r.Context(), "bash", "-c", command)
	cmd.Dir = r.root
	// Without cgo: the tests run with the race detector, for which these packages would be compiled again.
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// arrived compares what the reader has with the example.
func (r *reader) arrived() {
	r.Helper()
	compared := 0
	for path, file := range r.files {
		if !strings.HasPrefix(path, "examples/") {
			continue
		}
		compared++
		if diff := cmp.Diff(strings.Split(r.read(filepath.Join(r.root, path)), "\n"), strings.Split(r.read(file), "\n")); diff != "" {
			r.Errorf("%s is not what the page leads to (-repository +page):\n%s", path, diff)
		}
	}
	if compared < 6 {
		r.Errorf("only %d files compared", compared)
	}
}
