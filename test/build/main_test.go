package build

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

var binaries = struct {
	sync.Mutex
	dir   string
	paths map[string]string
}{paths: map[string]string{}}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "build-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaries.dir = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// binary builds the binary with these providers once and returns its path.
func binary(t *testing.T, providers ...string) string {
	t.Helper()
	binaries.Lock()
	defer binaries.Unlock()
	key := strings.Join(providers, "-")
	if path, ok := binaries.paths[key]; ok {
		return path
	}
	dir, err := os.MkdirTemp(binaries.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	path, err := ccm.Build(context.Background(), ccm.BuildOptions{Dir: dir, Providers: providers})
	if err != nil {
		t.Fatal(err)
	}
	binaries.paths[key] = path
	return path
}

// goTool runs the go command at the top of the repository and returns what it prints.
func goTool(t *testing.T, args ...string) string {
	t.Helper()
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// listDocuments lists the Markdown files git knows or does not ignore.
func listDocuments(t *testing.T, root string) string {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "*.md").Output()
	if err != nil {
		t.Fatalf("listing documents: %v", err)
	}
	return string(out)
}
