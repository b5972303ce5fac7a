package build

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

var update = flag.Bool("update", false, "write the sizes into the documents")

// The drivers to read first have to stay short. What they lack belongs into the kernel, and what is
// about the cloud itself into the package below them: its API, or the simulated cloud.
func TestReferenceDriversAreShort(t *testing.T) {
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	for folder, budget := range map[string]int{"providers/sim": 510, "examples/toycloud": 400} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(content, []byte("\n"))
		}
		t.Logf("%s: %d lines", folder, lines)
		if lines == 0 || lines > budget {
			t.Errorf("%s has %d lines without tests, want 1 to %d", folder, lines, budget)
		}
	}
}

// size is how documents tell the size of a provider, in lines: 3,100 (`digitalocean`).
var size = regexp.MustCompile("([0-9]+),([0-9]{3}) \\(`([a-z]+)`")

// Documents round what make figures prints to hundreds, and may be out of date by another hundred. -update writes
// them anew.
func TestSizesInDocumentsAreTrue(t *testing.T) {
	const tolerance = 150
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range []string{"CONTRIBUTING.md", "docs/explanation/architecture.md"} {
		path := filepath.Join(root, document)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !size.Match(content) {
			t.Errorf("%s tells no sizes", document)
		}
		now := size.ReplaceAllStringFunc(string(content), func(told string) string {
			match := size.FindStringSubmatch(told)
			lines, err := strconv.Atoi(match[1] + match[2])
			if err != nil {
				t.Fatal(err)
			}
			is := linesBelow(t, filepath.Join(root, "providers", match[3]))
			if lines >= is-tolerance && lines <= is+tolerance {
				return told
			}
			if !*update {
				t.Errorf("%s says that %s has %d lines; it has %d (`make generate` writes it)", document, match[3], lines, is)
			}
			hundreds := (is + 50) / 100
			return fmt.Sprintf("%d,%d00 (`%s`", hundreds/10, hundreds%10, match[3])
		})
		if *update {
			if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// linesBelow counts the lines of a folder and those below it as hack/figures.sh does: without tests, and without
// packages for tests, whose names end in "test".
func linesBelow(t *testing.T, folder string) (lines int) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasSuffix(path, "test") || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.IsDir(), !strings.HasSuffix(path, ".go"), strings.HasSuffix(path, "_test.go"):
			return nil
		}
		content, err := os.ReadFile(path)
		lines += bytes.Count(content, []byte("\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
