package build

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// runMake runs make at the top of the repository.
func runMake(t *testing.T, args ...string) (string, error) {
	t.Helper()
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "make", append([]string{"--no-print-directory"}, args...)...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Providers may be separated by commas, spaces or both.
func TestProvidersWithSpaces(t *testing.T) {
	for _, providers := range []string{"sim,aws", "sim, aws", " sim  aws ", "sim ,aws"} {
		out, err := runMake(t, "--dry-run", "build", "PROVIDERS="+providers)
		if err != nil || !strings.Contains(out, "-tags grpcnotrace,slim,sim,aws ") {
			t.Errorf("PROVIDERS=%q: %v\n%s", providers, err, out)
		}
	}
	if out, err := runMake(t, "--dry-run", "build", "PROVIDERS="); err != nil || !strings.Contains(out, "-tags grpcnotrace ") {
		t.Errorf("all providers: %v\n%s", err, out)
	}
}

// A cloud that the real cluster cannot show is refused before anything is built.
func TestRealQuickstartRefusesAtOnce(t *testing.T) {
	out, err := runMake(t, "quickstart", "REAL=1", "CLOUD=aws")
	if err == nil || !strings.Contains(out, "sim, digitalocean, hcloud and openstack") || strings.Contains(out, "building") {
		t.Errorf("%v\n%s", err, out)
	}
}
