package dryrun

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rpmutils "github.com/sassoftware/go-rpmutils"
	"github.com/sassoftware/go-rpmutils/cpio"
)

// docs is where both packages have what is no program.
const docs = "usr/share/doc/multicloud-ccm/copyright"

// both are files that the deb and the rpm have, under the root.
var both = []string{"usr/bin/cloud-controller-manager", "usr/bin/kubectl_complete-ccm", docs, "usr/share/bash-completion/completions/cloud-controller-manager",
	"usr/share/fish/vendor_completions.d/cloud-controller-manager.fish"}

// checkRoot checks what a package has put under a root: the program of the archive, its other name, completion.
func checkRoot(t *testing.T, root, platform string, also ...string) {
	t.Helper()
	for _, name := range slices.Concat(both, also) {
		if info, err := os.Lstat(filepath.Join(root, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, or it is empty", name, err)
		}
	}
	if target, err := os.Readlink(filepath.Join(root, "usr/bin/kubectl-ccm")); err != nil || target != "cloud-controller-manager" {
		t.Errorf("kubectl-ccm is a link to %q: %v", target, err)
	}
	program := filepath.Join(root, "usr/bin/cloud-controller-manager")
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	folder := strings.TrimSuffix(filepath.Base(archiveOf(t, platform)), ".tar.gz")
	if !bytes.Equal(content, unpack(t, archiveOf(t, platform))[folder+"/cloud-controller-manager"].content) {
		t.Error("the program is another one than in the archive")
	}
	if info, err := os.Stat(program); err != nil || info.Mode() != 0o755 {
		t.Errorf("the program has the mode %v: %v", info.Mode(), err)
	}
	if platform == native {
		checkVersion(t, filepath.Join(root, "usr/bin/kubectl-ccm"))
	}
}

// packaged is the version of the release as packages write it, so that 0.2.0~rc.1 is older than 0.2.0.
func packaged(t *testing.T, dash string) string {
	t.Helper()
	number, before, _ := strings.Cut(strings.TrimPrefix(versionOf(t), "v"), "-")
	if before == "" {
		return number
	}
	return number + "~" + strings.ReplaceAll(before, "-", dash)
}

func TestDeb(t *testing.T) {
	release(t)
	need(t, "dpkg-deb", "dpkg")
	for _, processor := range []string{"amd64", "arm64"} {
		t.Run(processor, func(t *testing.T) {
			path, root := one(t, "multicloud-ccm_v*_linux_"+processor+".deb"), t.TempDir()
			for field, want := range map[string]string{"Package": "multicloud-ccm", "Architecture": processor, "Version": packaged(t, "-")} {
				out, err := exec.CommandContext(t.Context(), "dpkg-deb", "--field", path, field).CombinedOutput()
				if got := strings.TrimSpace(string(out)); err != nil || got != want {
					t.Errorf("%s is %q, not %q: %v", field, got, want, err)
				}
			}
			if out, err := exec.CommandContext(t.Context(), "dpkg-deb", "--extract", path, root).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			checkRoot(t, root, "linux/"+processor, "usr/share/zsh/vendor-completions/_cloud-controller-manager")
		})
	}
}

func TestRPM(t *testing.T) {
	release(t)
	for processor, named := range map[string]string{"amd64": "x86_64", "arm64": "aarch64"} {
		t.Run(named, func(t *testing.T) {
			file, err := os.Open(one(t, "multicloud-ccm_v*_linux_"+processor+".rpm"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			// Without a key it compares the sums of header and files.
			if _, _, err := rpmutils.Verify(file, nil); err != nil {
				t.Error(err)
			}
			if _, err := file.Seek(0, 0); err != nil {
				t.Fatal(err)
			}
			rpm, err := rpmutils.ReadRpm(file)
			if err != nil {
				t.Fatal(err)
			}
			is, err := rpm.Header.GetNEVRA()
			if err != nil {
				t.Fatal(err)
			}
			if is.Name != "multicloud-ccm" || is.Version != packaged(t, "_") || is.Arch != named {
				t.Errorf("it is %v", is)
			}
			root := t.TempDir()
			if err := rpm.ExpandPayload(root); err != nil {
				t.Fatal(err)
			}
			restoreModes(t, rpm, root)
			checkRoot(t, root, "linux/"+processor, "usr/share/zsh/site-functions/_cloud-controller-manager")
		})
	}
}

// restoreModes gives files the modes that the package has, which the library leaves out.
func restoreModes(t *testing.T, rpm *rpmutils.Rpm, root string) {
	t.Helper()
	files, err := rpm.Header.GetFiles()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if mode := file.Mode(); mode&^0o7777 == cpio.S_ISREG {
			if err := os.Chmod(filepath.Join(root, file.Name()), os.FileMode(mode).Perm()); err != nil {
				t.Fatal(err)
			}
		}
	}
}
