package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A release is refused while the chart of the one before is not kept for the tests of upgrades.
func TestCheckWantsTheLastChart(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "hack", "release.sh")
	for path, content := range map[string]string{
		"hack/release.sh":                   inRoot(t, "hack", "release.sh"),
		"hack/releaser/main.go":             "",
		"internal/compiled/provider_sim.go": "",
		"charts/multicloud-ccm/Chart.yaml":  "version: 0.10.0\n",
		"go":                                "#!/bin/sh\necho '#!/bin/sh' >$3\nchmod +x $3\n", // a releaser that agrees with everything
		".gitignore":                        "dist\n",
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "VERSION=v0.10.0")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	must := func(name string, args ...string) {
		t.Helper()
		if out, err := run(name, args...); err != nil {
			t.Fatalf("%s %v: %v: %s", name, args, err, out)
		}
	}
	commit := func() {
		t.Helper()
		must("git", "add", "-A")
		must("git", "-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-q", "-m", "c")
	}
	must("git", "init", "-q")
	commit()
	must(script, "check") // the first release
	for _, tag := range []string{"v0.2.0", "v0.9.0", "v0.10.0-rc.1", "v0.10.0"} {
		must("git", "tag", tag)
	}
	if out, err := run(script, "check"); err == nil || !strings.Contains(out, "no chart of v0.9.0") {
		t.Errorf("without the chart of v0.9.0: %v: %s", err, out)
	}
	kept := filepath.Join(dir, "test", "chart", "testdata", "upgrade")
	if err := os.MkdirAll(kept, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(kept, "multicloud-ccm-0.9.0.tgz"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	commit()
	must(script, "check")
}
