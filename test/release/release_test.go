// Package release_test goes from an empty registry to a running installation by the release's own
// script: it builds, packs and pushes, and helm installs from there.
package release_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

const (
	version = "v0.9.0-test"
	number  = "0.9.0-test"
	// variant is the one that is built. The script is the same for all of them.
	variant = "sim"
	// buildLimit bounds the build of helm and the binary, neither of which may be cached.
	buildLimit = 20 * time.Minute
)

// published is a registry on this machine with what the script pushed into it.
type published struct {
	host   string // address of the registry
	image  string // repository of the images
	charts string // reference of the charts' folder
	dist   string
}

// script runs hack/release.sh as the release does, by make, and returns what it prints.
func (p published) script(t *testing.T, settings []string, steps ...string) (string, error) {
	t.Helper()
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	args := append([]string{"--no-print-directory", "release", "STEPS=" + strings.Join(steps, " "),
		"VERSION=" + version, "DIST=" + p.dist, "PLATFORMS=linux/" + runtime.GOARCH}, settings...)
	if p.image != "" {
		args = append(args, "IMAGE="+p.image)
	}
	cmd := exec.CommandContext(ctx, "make", args...)
	cmd.Dir = root
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = errors.Join(err, errors.New(stderr.String()))
	}
	return string(out), err
}

func (p published) mustScript(t *testing.T, settings []string, steps ...string) string {
	t.Helper()
	out, err := p.script(t, settings, steps...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// newRegistry starts an empty registry.
func newRegistry(t *testing.T) published {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	return published{
		host: host, dist: t.TempDir(),
		image:  host + "/multicloud-ccm/multicloud-ccm",
		charts: "oci://" + host + "/multicloud-ccm/charts",
	}
}

// names are the images that the script builds, without the ones named in settings.
func (p published) names(t *testing.T, settings ...string) []string {
	t.Helper()
	var names []string
	for line := range strings.Lines(p.mustScript(t, settings, "names")) {
		if line = strings.TrimSpace(line); strings.Contains(line, ":"+version) {
			names = append(names, line)
		}
	}
	return names
}

// digests reads what the script wrote about what it pushed: digest by name.
func (p published) digests(t *testing.T) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(p.dist, "digests.txt"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for line := range strings.Lines(string(content)) {
		digest, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			t.Fatalf("digests.txt has the line %q", line)
		}
		found[name] = "sha256:" + digest
	}
	return found
}
