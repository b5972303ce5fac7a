package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestABinarySaysWhatItIs(t *testing.T) {
	amd, arm := compile(t, "amd64", "0", "grpcnotrace,slim,sim,digitalocean"), compile(t, "arm64", "0", "slim,digitalocean,sim")
	binaries, err := readBinaries([]string{arm, amd})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{binaries[0].platform().String(), binaries[0].variant(), binaries[1].platform().String(), binaries[1].variant()}
	want := []string{"linux/amd64", "digitalocean-sim", "linux/arm64", "digitalocean-sim"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRefusesBinariesThatMakeNoImage(t *testing.T) {
	all, slim := compile(t, "amd64", "0", "grpcnotrace"), compile(t, "arm64", "0", "slim,sim")
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		paths []string
		want  string
	}{
		{"none", nil, "name one per platform"},
		{"missing", []string{"/nowhere"}, "reading the binary"},
		{"no Go program", []string{text}, "says of its build"},
		{"with cgo", []string{compile(t, "amd64", "1", "")}, "built with CGO_ENABLED=1"},
		{"one platform twice", []string{all, all}, "both for linux/amd64"},
		{"two sets of providers", []string{all, slim}, "one image has one set"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := readBinaries(tt.paths); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func TestTagNames(t *testing.T) {
	for variant, want := range map[string]string{"all": "v1.2.3", "digitalocean": "v1.2.3-digitalocean", "aws-sim": "v1.2.3-aws-sim"} {
		if got := tagName("v1.2.3", variant); got != want {
			t.Errorf("%s: %q, want %q", variant, got, want)
		}
	}
}

// A binary that claims to be slim and is not, judged by the real code of the providers.
func TestAForeignSDKIsRefused(t *testing.T) {
	const godo = "github.com/digitalocean/godo"
	tests := []struct{ tags, want string }{
		{"", ""},
		{"slim,digitalocean", ""},
		{"slim,sim,digitalocean", ""},
		{"slim,sim", "the image for sim contains " + godo + ", which belongs to digitalocean"},
	}
	for _, tt := range tests {
		t.Run(tt.tags, func(t *testing.T) {
			b := fake("linux", "amd64", tt.tags)
			b.info.Deps = []*debug.Module{{Path: godo, Version: "v1.0.0"}, {Path: "k8s.io/cloud-provider", Version: "v0.1.0"}}
			err := refuseForeignModules(repository, []binary{b})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// compile builds the smallest Go program there is.
func compile(t *testing.T, goarch, cgo, tags string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module tiny\ngo 1.26\n", "main.go": "package main\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-tags", tags, "-o", "program", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+goarch, "CGO_ENABLED="+cgo, "GOFLAGS=-trimpath")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, "program")
}
