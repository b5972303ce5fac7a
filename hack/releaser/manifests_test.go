package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// sums writes a file of checksums with an archive of v0.2.0 for each platform, but for one, and with what else a release has.
func sums(t *testing.T, without string) string {
	t.Helper()
	lines := "aa  multicloud-ccm-0.2.0.tgz\nbb  multicloud-ccm_0.2.0_amd64.deb\ncc  multicloud-ccm_v0.1.0_linux_amd64.tar.gz\n"
	for i, platform := range platforms {
		extension := ".tar.gz"
		if strings.HasPrefix(platform, "windows") {
			extension = ".zip"
		}
		if platform != without {
			lines += strings.Repeat(string(rune('0'+i)), 64) + "  multicloud-ccm_v0.2.0_" + strings.ReplaceAll(platform, "/", "_") + extension + "\n"
		}
	}
	path := filepath.Join(t.TempDir(), "checksums.txt")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestManifests(t *testing.T) {
	out := t.TempDir()
	if err := run(t.Context(), []string{"manifests", "-version", "v0.2.0", "-checksums", sums(t, ""), "-out", out}, nil); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(out, "ccm.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest krewPlugin
	if err := yaml.UnmarshalStrict(content, &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Spec.Version != "v0.2.0" || len(manifest.Spec.Platforms) != 6 {
		t.Fatalf("the manifest is %+v", manifest)
	}
	const from = "https://github.com/multicloud-ccm/multicloud-ccm/releases/download/v0.2.0/"
	last := manifest.Spec.Platforms[5]
	if last.URI != from+"multicloud-ccm_v0.2.0_windows_arm64.zip" || last.Bin != "kubectl-ccm.exe" || last.Sha256 != strings.Repeat("5", 64) {
		t.Errorf("Windows on arm64 is %+v", last)
	}
	content, err = os.ReadFile(filepath.Join(out, "multicloud-ccm.rb"))
	if err != nil {
		t.Fatal(err)
	}
	want := "  on_macos do\n    on_intel do\n      url \"" + from + "multicloud-ccm_v0.2.0_darwin_amd64.tar.gz\"\n      sha256 \"" + strings.Repeat("0", 64) + "\"\n"
	if !strings.Contains(string(content), want) || strings.Contains(string(content), "windows") {
		t.Errorf("the formula is\n%s", content)
	}
}

// A release that lacks an archive is not announced by manifests that leave it out.
func TestManifestsWantEveryPlatform(t *testing.T) {
	err := run(t.Context(), []string{"manifests", "-version", "v0.2.0", "-checksums", sums(t, "darwin/arm64"), "-out", t.TempDir()}, nil)
	if err == nil || !strings.Contains(err.Error(), "v0.2.0 for darwin/arm64") {
		t.Errorf("without the archive for macOS: %v", err)
	}
}
