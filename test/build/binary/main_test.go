package binary

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	_ "github.com/multicloud-ccm/multicloud-ccm/internal/compiled" // registers the providers
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
