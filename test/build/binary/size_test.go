package binary

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// The budgets in bytes, see docs/adr/0003.
const megabyte = 1_000_000

func TestSize(t *testing.T) {
	tests := []struct {
		name      string
		providers []string
		limit     int64
	}{
		{"all providers", nil, 59 * megabyte},
		{"aws", []string{"aws"}, 52 * megabyte},
		{"digitalocean", []string{"digitalocean"}, 47*megabyte + megabyte/4},
		{"gce", []string{"gce"}, 48*megabyte + megabyte/4},
		{"hcloud", []string{"hcloud"}, 47*megabyte + megabyte/4},
		{"sim", []string{"sim"}, 46 * megabyte},
		{"static", []string{"static"}, 45*megabyte + 3*megabyte/4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			info, err := os.Stat(binary(t, tt.providers...))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%.1f MB", float64(info.Size())/megabyte)
			if info.Size() > tt.limit {
				t.Errorf("%d bytes, the budget is %d", info.Size(), tt.limit)
			}
		})
	}
}

// TestFlagsAgree: what is measured here is what is released. A release has the Makefile's GOFLAGS.
func TestFlagsAgree(t *testing.T) {
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("make", "--no-print-directory", "-s", "-C", root, "-f", "Makefile", "-f", "-", "flags")
	cmd.Stdin = strings.NewReader("flags:\n\t@echo $$GOFLAGS\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimSpace(string(out)), "-trimpath -tags=grpcnotrace "+strings.Join(ccm.NotInlined(), " "); got != want {
		t.Errorf("the Makefile builds with\n%s\nand the tests with\n%s", got, want)
	}
	release, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(release), "'GOFLAGS={{ .Env.GOFLAGS }}'") {
		t.Error(".goreleaser.yaml does not build with the Makefile's GOFLAGS")
	}
}

// Reflection on method names makes the linker keep every exported method of every reachable
// type, which multiplies the size with a large SDK. text/template is the usual door.
func TestTemplateReflectionIsNotReachable(t *testing.T) {
	if reflected := reflectMethods(t, "./cmd/cloud-controller-manager"); len(reflected) > 0 {
		t.Errorf("methods are called by name from: %s", strings.Join(reflected, "\n"))
	}
}

// The same look at a program that does use templates shows that the look can fail.
func TestTemplateReflectionIsSeen(t *testing.T) {
	dir := t.TempDir()
	source := "package main\nimport (\"os\"; \"text/template\")\nfunc main() { template.Must(template.New(\"\").Parse(\"{{.}}\")).Execute(os.Stdout, os.Args) }\n"
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if len(reflectMethods(t, file)) == 0 {
		t.Error("a program with text/template shows no reflection on methods")
	}
}

// reflectMethods returns the functions of text/template and html/template that the linker
// sees calling methods by name.
func reflectMethods(t *testing.T, what string) []string {
	t.Helper()
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-tags", "grpcnotrace", "-ldflags", "-dumpdep", "-o", os.DevNull, what)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("building %s: %v", what, err)
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "<ReflectMethod>") && strings.Contains(line, "/template.") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

func TestSlimBuildsLinkNoForeignSDK(t *testing.T) {
	sdks := map[string]string{"aws": "github.com/aws/aws-sdk-go-v2", "digitalocean": "github.com/digitalocean/godo", "gce": "google.golang.org/api", "hcloud": "github.com/hetznercloud/hcloud-go/v2", "openstack": "github.com/gophercloud/gophercloud/v2"}
	for _, provider := range []string{"aws", "digitalocean", "gce", "hcloud", "openstack", "sim", "static"} {
		info, err := buildinfo.ReadFile(binary(t, provider))
		if err != nil {
			t.Fatal(err)
		}
		for owner, sdk := range sdks {
			linked := slices.ContainsFunc(info.Deps, func(m *debug.Module) bool { return strings.HasPrefix(m.Path, sdk) })
			if linked != (owner == provider) {
				t.Errorf("%s build: %s linked is %v", provider, sdk, linked)
			}
		}
	}
}
