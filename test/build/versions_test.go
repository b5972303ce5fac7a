package build

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// The page of supported versions says what is built on and tested on.
func TestKubernetesVersions(t *testing.T) {
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) string {
		content, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	version := func(folder, module string) string {
		return strings.TrimSpace(goTool(t, "-C", folder, "list", "-m", "-f", "{{.Version}}", module))
	}
	library, tested := version(".", "k8s.io/cloud-provider"), version("test/controlplane/binaries", "k8s.io/kubernetes")
	if other := version("test/platform", "k8s.io/kubernetes"); other != tested {
		t.Errorf("test/platform has the types of Kubernetes %s, test/controlplane builds %s", other, tested)
	}
	if other := version("test/e2e/kubernetes", "k8s.io/kubernetes"); other != tested {
		t.Errorf("test/e2e/kubernetes has the tests of Kubernetes %s, test/controlplane builds %s", other, tested)
	}
	minor := strings.Split(library, ".")[1]
	oldest := regexp.MustCompile(`kubeVersion: ">=(1\.\d+)\.0-0"`).FindStringSubmatch(read("charts/multicloud-ccm/Chart.yaml"))
	if oldest == nil {
		t.Fatal("Chart.yaml names no oldest version")
	}
	// Each minor version from the oldest to the one before the tested one has a module.
	first, last := minorOf(t, "v"+oldest[1]), minorOf(t, tested)-1
	pinned := map[int]string{}
	for n := first; n <= last; n++ {
		pinned[n] = version(fmt.Sprintf("test/controlplane/minors/1.%d", n), "k8s.io/kubernetes")
		if !strings.HasPrefix(pinned[n], fmt.Sprintf("v1.%d.", n)) {
			t.Errorf("test/controlplane/minors/1.%d builds Kubernetes %s", n, pinned[n])
		}
	}
	if folders, err := filepath.Glob(filepath.Join(root, "test/controlplane/minors/*/go.mod")); err != nil || len(folders) != len(pinned) {
		t.Errorf("test/controlplane/minors has %d folders, want one for each of 1.%d to 1.%d (%v)", len(folders), first, last, err)
	}
	page := read("docs/reference/kubernetes-versions.md")
	for _, want := range []string{
		"`k8s.io/cloud-provider` " + library + ", the library of Kubernetes 1." + minor + ".",
		"| Kubernetes " + tested + " | all system tests", fmt.Sprintf("| kube-apiserver of the versions in the table below, from %s to 1.%d |", oldest[1], last),
		"| " + pinned[first] + " |", "| " + pinned[last] + " |",
		"installs on " + oldest[1] + " and newer",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("docs/reference/kubernetes-versions.md does not say %q", want)
		}
	}
}

// minorOf is the 37 of v1.37.2.
func minorOf(t *testing.T, version string) int {
	t.Helper()
	minor, err := strconv.Atoi(strings.Split(version, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	return minor
}

// The programs of the control plane are built with the module versions of the binary: what both compile, half of the packages, is
// then compiled once.
func TestControlPlaneSharesModules(t *testing.T) {
	ours := required(t, "go.mod")
	for module, version := range required(t, "test/controlplane/binaries/go.mod") {
		if other, both := ours[module]; both && other != version {
			t.Errorf("test/controlplane/binaries/go.mod requires %s %s, go.mod %s", module, version, other)
		}
	}
}

// required are the versions that a go.mod requires.
func required(t *testing.T, file string) map[string]string {
	t.Helper()
	var mod struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal([]byte(goTool(t, "mod", "edit", "-json", file)), &mod); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, r := range mod.Require {
		versions[r.Path] = r.Version
	}
	return versions
}
