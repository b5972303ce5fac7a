package dryrun

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var krew = flag.String("krew", "", "the krew that installs archives, bin/krew")

// installed lets krew install the archive of a platform by a manifest, and returns its folder.
func installed(t *testing.T, manifest, platform string) (string, error) {
	t.Helper()
	program, err := filepath.Abs(*krew)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	system, processor, _ := strings.Cut(platform, "/")
	cmd := exec.CommandContext(t.Context(), program, "install", "--manifest="+manifest, "--archive="+archiveOf(t, platform))
	cmd.Env = append(os.Environ(), "KREW_ROOT="+root, "KREW_OS="+system, "KREW_ARCH="+processor, "KREW_NO_UPGRADE_CHECK=1")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	return root, err
}

// krew takes the manifest, finds the archive's sum in it, and makes `kubectl ccm` of each archive.
func TestKrewInstalls(t *testing.T) {
	release(t)
	if *krew == "" {
		t.Skip("no -krew: `make release-test` builds one")
	}
	manifest := one(t, "ccm.yaml")
	for _, platform := range platforms {
		t.Run(platform, func(t *testing.T) {
			root, err := installed(t, manifest, platform)
			if err != nil {
				t.Fatal(err)
			}
			program := "kubectl-ccm"
			if strings.HasPrefix(platform, "windows/") {
				program += ".exe"
			}
			content, err := os.ReadFile(filepath.Join(root, "store", "ccm", versionOf(t), program))
			if err != nil {
				t.Fatal(err)
			}
			if got := platformOf(content); got != platform {
				t.Errorf("the program is for %s", got)
			}
			if platform == native {
				checkVersion(t, filepath.Join(root, "bin", "kubectl-ccm"))
			}
		})
	}
	content, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	sum := sumOf(t, archiveOf(t, native))
	wrong := filepath.Join(t.TempDir(), "ccm.yaml")
	if err := os.WriteFile(wrong, []byte(strings.ReplaceAll(string(content), sum, strings.Repeat("f", 64))), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := installed(t, wrong, native); err == nil {
		t.Error("krew installed an archive whose sum the manifest does not say")
	}
}

// The addresses in the manifest and in the formula are those of the archives in the release.
func TestAddresses(t *testing.T) {
	release(t)
	for manifest, systems := range map[string]string{"ccm.yaml": "darwin linux windows", "multicloud-ccm.rb": "darwin linux"} {
		content, err := os.ReadFile(one(t, manifest))
		if err != nil {
			t.Fatal(err)
		}
		for _, platform := range platforms {
			system, _, _ := strings.Cut(platform, "/")
			if !strings.Contains(systems, system) {
				continue
			}
			path := archiveOf(t, platform)
			address := "https://github.com/multicloud-ccm/multicloud-ccm/releases/download/" + versionOf(t) + "/" + filepath.Base(path)
			if !strings.Contains(string(content), address) || !strings.Contains(string(content), sumOf(t, path)) {
				t.Errorf("%s has no %s with its sum", manifest, address)
			}
		}
	}
}
