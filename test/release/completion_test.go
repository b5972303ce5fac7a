package release_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// completionShells are those that the packages have scripts for and that run here.
var completionShells = []struct{ name, needs, debianPackage string }{
	{"bash", "/usr/share/bash-completion/bash_completion", "bash-completion"},
	{"fish", "fish", "fish"},
	{"zsh", "zsh", "zsh"},
}

// program is what the tests run, or a build of it.
func program(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("CCM_BINARY"); path != "" {
		return path
	}
	ctx, cancel := context.WithTimeout(t.Context(), buildLimit)
	defer cancel()
	path, err := ccm.Build(ctx, ccm.BuildOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// completed is what can follow at the end of some lines.
var completed = map[string][]string{
	"cloud-controller-manager doc":                  {"doctor"},
	"cloud-controller-manager explain ":             {"node", "service"},
	"cloud-controller-manager plan ":                {"all", "firewall", "nodes", "routes", "service"},
	"cloud-controller-manager doctor --cloud-provi": {"--cloud-provider"},
	"cloud-controller-manager completion ":          {"bash", "fish", "powershell", "zsh"},
}

// The shells themselves read the scripts of the packages, and offer what can follow.
func TestShellsComplete(t *testing.T) {
	binary, bin := program(t), t.TempDir()
	if err := os.Symlink(binary, filepath.Join(bin, "cloud-controller-manager")); err != nil {
		t.Fatal(err)
	}
	for _, shell := range completionShells {
		t.Run(shell.name, func(t *testing.T) {
			_, err := exec.LookPath(shell.needs)
			if filepath.IsAbs(shell.needs) { // a file that bash reads
				_, err = os.Stat(shell.needs)
			}
			if err != nil {
				t.Skipf("%s is missing: apt-get install %s", shell.needs, shell.debianPackage)
			}
			content, err := exec.CommandContext(t.Context(), binary, "completion", shell.name).Output()
			if err != nil {
				t.Fatal(err)
			}
			script := filepath.Join(t.TempDir(), "completion")
			if err := os.WriteFile(script, content, 0o600); err != nil {
				t.Fatal(err)
			}
			for line, wants := range completed {
				offered := offers(t, bin, shell.name, script, line)
				for _, want := range wants {
					if !slices.Contains(offered, want) {
						t.Errorf("%q: it offers %q, without %s", line, offered, want)
					}
				}
			}
		})
	}
}

// offers are the words that a shell shows at the end of a line.
func offers(t *testing.T, bin, shell, script, line string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), shell, filepath.Join("testdata", "complete."+shell), script, line)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+t.TempDir(), "TERM=dumb")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v: %s", line, err, out)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
}

// kubectl asks a program of this name what can follow its plugin's.
func TestKubectlCompletes(t *testing.T) {
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(program(t), filepath.Join(bin, "kubectl-ccm")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "hack", "release", "kubectl_complete-ccm"), "explain", "")
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := cmd.Output(); err != nil || !strings.HasPrefix(string(out), "node\nservice\n:") {
		t.Errorf("after `kubectl ccm explain` kubectl offers %q: %v", out, err)
	}
}
