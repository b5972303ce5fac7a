package release_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

var (
	uses       = regexp.MustCompile(`(?m)^.*\buses: (.*)$`)
	pinned     = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	makeTarget = regexp.MustCompile(`\bmake ([a-z0-9-]+)`)
)

// inRoot reads a file of the repository.
func inRoot(t *testing.T, path ...string) string {
	t.Helper()
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// workflowFiles are the workflows and actions by path.
func workflowFiles(t *testing.T) map[string]string {
	t.Helper()
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, pattern := range []string{"workflows/*.y*ml", "actions/*/action.y*ml"} {
		paths, err := filepath.Glob(filepath.Join(root, ".github", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			found[path] = string(content)
		}
	}
	if len(found) < 3 {
		t.Fatalf("only %d workflows and actions found", len(found))
	}
	return found
}

// A tag of an action can be moved to other code, a commit cannot.
func TestActionsArePinned(t *testing.T) {
	for path, content := range workflowFiles(t) {
		for _, match := range uses.FindAllStringSubmatch(content, -1) {
			if !strings.HasPrefix(match[1], "./") && !pinned.MatchString(match[1]) {
				t.Errorf("%s uses %q; an action of others is named by commit, with its version behind #", path, match[1])
			}
		}
	}
}

// Nothing is allowed unless a job says so, and only the release may write.
func TestPermissionsAreLeast(t *testing.T) {
	for path, content := range workflowFiles(t) {
		if !strings.Contains(path, "/workflows/") {
			continue
		}
		var workflow struct {
			Permissions map[string]string
			Jobs        map[string]struct{ Permissions map[string]string }
		}
		if err := yaml.Unmarshal([]byte(content), &workflow); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if workflow.Permissions == nil || len(workflow.Permissions) > 0 {
			t.Errorf("%s: the permissions of all jobs are %v, not {}", path, workflow.Permissions)
		}
		for name, job := range workflow.Jobs {
			if job.Permissions == nil {
				t.Errorf("%s: the job %s says no permissions", path, name)
			}
			for scope, access := range job.Permissions {
				if access == "write" && !strings.HasSuffix(path, "/release.yml") && !strings.HasSuffix(path, "/docs.yml") {
					t.Errorf("%s: the job %s may write %s", path, name, scope)
				}
			}
		}
	}
}

// What .ci/run checks before a change lands, the workflows for a change check too.
func TestWorkflowRunsTheStepsOfCI(t *testing.T) {
	elsewhere := []string{"openstack-lab", "e2e-openstack"} // see the comment in ci.yml
	workflow := append(targets(inRoot(t, ".github", "workflows", "ci.yml")), targets(inRoot(t, ".github", "workflows", "docs.yml"))...)
	for _, target := range targets(inRoot(t, ".ci", "run")) {
		if !slices.Contains(workflow, target) && !slices.Contains(elsewhere, target) {
			t.Errorf("ci.yml and docs.yml have no `make %s`, which .ci/run has", target)
		}
	}
}

// targets are the make targets that a script runs. Comments do not count.
func targets(script string) []string {
	var found []string
	for line := range strings.Lines(script) {
		line, _, _ = strings.Cut(line, "#")
		for _, match := range makeTarget.FindAllStringSubmatch(line, -1) {
			found = append(found, match[1])
		}
	}
	return found
}

// Every image is signed by digest and gets the SBOM of its own variant; the chart is signed.
func TestSign(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	files := map[string]string{
		"cosign":             "#!/bin/sh\necho \"$@\" >>" + log + "\n",
		"all.spdx.json":      "{}",
		"gce.spdx.json":      "{}",
		"digests.txt":        "aa  ghcr.io/x/y:v0.2.0-rc.1\nbb  ghcr.io/x/y:v0.2.0-rc.1-gce\ncc  ghcr.io/x/charts/y:0.2.0-rc.1\n",
		"unrelated.spdx.txt": "",
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "hack", "release", "sign.sh"), filepath.Join(dir, "digests.txt"), dir)
	cmd.Env = append(os.Environ(), "COSIGN="+filepath.Join(dir, "cosign"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	want := "sign --yes ghcr.io/x/y@sha256:aa\n" +
		"attest --yes --type spdxjson --predicate " + dir + "/all.spdx.json ghcr.io/x/y@sha256:aa\n" +
		"sign --yes ghcr.io/x/y@sha256:bb\n" +
		"attest --yes --type spdxjson --predicate " + dir + "/gce.spdx.json ghcr.io/x/y@sha256:bb\n" +
		"sign --yes ghcr.io/x/charts/y@sha256:cc\n"
	if string(got) != want {
		t.Errorf("cosign was called with\n%s\nnot\n%s", got, want)
	}
}

// Nothing is public before all of it is pushed, signed and attested; a run that breaks off leaves a draft.
func TestReleaseIsPublishedLast(t *testing.T) {
	type step struct {
		Uses, Run string
		With      map[string]any
	}
	var workflow struct {
		Jobs map[string]struct {
			Needs, Environment string
			Steps              []step
		}
	}
	if err := yaml.Unmarshal([]byte(inRoot(t, ".github", "workflows", "release.yml")), &workflow); err != nil {
		t.Fatal(err)
	}
	publish := workflow.Jobs["publish"]
	if publish.Needs != "ci" || publish.Environment != "release" {
		t.Errorf("a release needs %q and is approved in %q", publish.Needs, publish.Environment)
	}
	at := 0
	for _, want := range []string{
		"STEPS=check", "STEPS='images chart'", "STEPS=draft", "STEPS=push", "sign.sh dist/digests.txt",
		"attest-build-provenance dist/release/checksums.txt", "attest-build-provenance dist/digests.txt", "gh release edit",
	} {
		next := slices.IndexFunc(publish.Steps[at:], func(s step) bool {
			action, _, _ := strings.Cut(s.Uses, "@")
			return strings.Contains(s.Run, want) || strings.HasSuffix(fmt.Sprint(action, " ", s.With["subject-checksums"]), want)
		})
		if next < 0 {
			t.Fatalf("release.yml has no step %q after step %d", want, at)
		}
		at += next + 1
	}
	for _, artifact := range []string{"dist/image/*.tar", "dist/image/*.spdx.json", "dist/chart/*.tgz"} {
		if !strings.Contains(inRoot(t, ".goreleaser.yaml"), "glob: '"+artifact+"'") {
			t.Errorf("checksums.txt, which is signed, lacks %s", artifact)
		}
	}
}
