package build

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// The driver to read first has to stay short. What it lacks belongs into the kernel, and what
// is about the simulated cloud itself into the package world below it.
func TestReferenceDriverIsShort(t *testing.T) {
	const budget = 499
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "providers", "sim", "*.go"))
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
	t.Logf("%d lines", lines)
	if lines == 0 || lines > budget {
		t.Errorf("providers/sim has %d lines without tests, want 1 to %d", lines, budget)
	}
}
