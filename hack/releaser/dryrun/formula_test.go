package dryrun

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Ruby evaluates the formula as Homebrew does, for each system and processor, and carries out its installation in the unpacked archive.
func TestFormulaInstalls(t *testing.T) {
	release(t)
	need(t, "ruby", "ruby")
	for _, platform := range platforms[:4] {
		t.Run(platform, func(t *testing.T) {
			archive, prefix := archiveOf(t, platform), t.TempDir()
			system, processor, _ := strings.Cut(platform, "/")
			out, err := exec.CommandContext(t.Context(), "ruby", filepath.Join("testdata", "brew.rb"), one(t, "multicloud-ccm.rb"),
				map[string]string{"darwin": "macos"}[system]+map[string]string{"linux": "linux"}[system],
				map[string]string{"amd64": "intel", "arm64": "arm"}[processor], archive, prefix).CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			want := "multicloud-ccm\n" + strings.TrimPrefix(versionOf(t), "v") + "\n" + sumOf(t, archive) + "\n"
			if string(out) != want {
				t.Errorf("the formula says\n%s, not\n%s", out, want)
			}
			for _, file := range []string{"bin/cloud-controller-manager", "bin/kubectl-ccm", "bin/kubectl_complete-ccm", "etc/bash_completion.d/cloud-controller-manager",
				"share/fish/vendor_completions.d/cloud-controller-manager.fish", "share/zsh/site-functions/_cloud-controller-manager"} {
				sumOf(t, filepath.Join(prefix, file))
			}
			if platform == native {
				checkVersion(t, filepath.Join(prefix, "bin", "kubectl-ccm"))
			}
		})
	}
}
