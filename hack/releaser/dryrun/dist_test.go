package dryrun

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

var dist = flag.String("dist", "", "the folder that `make release-dry-run` has filled")

// platforms are those that the command line is released for.
var platforms = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}

// native is the platform that programs are started on.
const native = runtime.GOOS + "/" + runtime.GOARCH

// release is the folder with archives, packages and checksums.
func release(t *testing.T) string {
	t.Helper()
	if *dist == "" {
		t.Skip("no -dist: `make release-dry-run release-test` looks at a release")
	}
	path, err := filepath.Abs(filepath.Join(*dist, "release"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// one is the one file of the release with a name of this form.
func one(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(release(t), pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: want one file, got %v %v", pattern, found, err)
	}
	return found[0]
}

// archiveOf is the archive of a platform.
func archiveOf(t *testing.T, platform string) string {
	t.Helper()
	extension := ".tar.gz"
	if strings.HasPrefix(platform, "windows/") {
		extension = ".zip"
	}
	return one(t, "multicloud-ccm_v*_"+strings.ReplaceAll(platform, "/", "_")+extension)
}

// versionOf is the version in the name of an archive, with its "v".
func versionOf(t *testing.T) string {
	t.Helper()
	match := regexp.MustCompile(`^multicloud-ccm_(v.+)_linux_`).FindStringSubmatch(filepath.Base(archiveOf(t, native)))
	if match == nil {
		t.Fatal("the archive names no version")
	}
	return match[1]
}

func sumOf(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// checkVersion starts a program, which has to say the version of the release.
func checkVersion(t *testing.T, program string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, "version").CombinedOutput()
	if want := versionOf(t); err != nil || !strings.Contains(string(out), want+" ") && !strings.Contains(string(out), want+"\n") {
		t.Errorf("%s version: %v, want %s in: %s", program, err, want, out)
	}
}

// need skips a test where a program is missing.
func need(t *testing.T, program, debianPackage string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is missing: apt-get install %s", program, debianPackage)
	}
}

// checksums.txt, which is signed, has every file that somebody can download, and its sum.
func TestChecksums(t *testing.T) {
	stated := map[string]string{}
	file, err := os.Open(one(t, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		sum, name, _ := strings.Cut(lines.Text(), "  ")
		stated[name] = sum
	}
	patterns := []string{"release/*.tar.gz", "release/*.zip", "release/*.deb", "release/*.rpm", "image/*.tar", "image/*.spdx.json", "chart/*.tgz"}
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(*dist, pattern))
		if err != nil || len(found) == 0 && strings.HasPrefix(pattern, "release/") {
			t.Errorf("%s: there are none (%v)", pattern, err)
		}
		for _, path := range found {
			if sum := sumOf(t, path); stated[filepath.Base(path)] != sum {
				t.Errorf("%s: its sum is %s, checksums.txt says %q", path, sum, stated[filepath.Base(path)])
			}
			delete(stated, filepath.Base(path))
		}
	}
	if len(stated) > 0 {
		t.Error(fmt.Errorf("checksums.txt names what is not there: %v", stated))
	}
}
