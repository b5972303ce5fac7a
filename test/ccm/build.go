package ccm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// BuildOptions say which binary is built.
type BuildOptions struct {
	// Dir receives the binary.
	Dir string
	// Providers makes a slim binary with only these; all when empty.
	Providers []string
	// Race turns the race detector on; such a binary is not the one of the size budget.
	Race bool
	// LDFlags are added to -s -w.
	LDFlags string
}

// Build builds cloud-controller-manager from the working tree and returns its path.
func Build(ctx context.Context, o BuildOptions) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	tags := append([]string{"grpcnotrace"}, o.Providers...)
	if len(o.Providers) > 0 {
		tags = append(tags, "slim")
	}
	path := filepath.Join(o.Dir, "cloud-controller-manager")
	args := []string{"build", "-trimpath", "-tags", strings.Join(tags, ","), "-ldflags", strings.TrimSpace("-s -w " + o.LDFlags), "-o", path}
	env := append(os.Environ(), "CGO_ENABLED=0")
	if o.Race {
		args, env = append(args, "-race"), os.Environ() // compiled as the tests are
	} else {
		args = append(args, NotInlined()...)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/cloud-controller-manager")...)
	cmd.Dir, cmd.Env = root, env
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building cloud-controller-manager: %w: %s", err, out)
	}
	return path, nil
}

// NotInlined are the compiler's flags of a product build, see docs/adr/0003. The Makefile has the same in GOFLAGS.
func NotInlined() []string {
	var flags []string
	for _, libraries := range []string{
		"github.com", "k8s.io", "sigs.k8s.io", "google.golang.org", "golang.org/x", "go.opentelemetry.io", "go.etcd.io", "go.uber.org", "go.yaml.in",
		"gopkg.in", "cel.dev", "cloud.google.com",
	} {
		flags = append(flags, "-gcflags="+libraries+"/...=-l")
	}
	return append(flags, "-gcflags=github.com/multicloud-ccm/...=",
		"-gcflags=github.com/multicloud-ccm/multicloud-ccm/internal/...=-l", "-gcflags=github.com/multicloud-ccm/multicloud-ccm/providers/...=-l")
}

// Root returns the top of the repository.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "cloud-controller-manager")); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("finding the top of the repository: no parent folder has cmd/cloud-controller-manager")
}
