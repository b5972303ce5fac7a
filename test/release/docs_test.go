package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
)

// A later patch of an older version does not become "latest".
func TestDocsOfTheHighestVersionAreLatest(t *testing.T) {
	root, err := ccm.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	if err := os.WriteFile(filepath.Join(dir, "mike"), []byte("#!/bin/sh\necho \"$@\" >>"+log+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v: %s", name, args, err, out)
		}
	}
	run("git", "init", "-q")
	run("git", "-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-q", "--allow-empty", "-m", "c")
	for _, tag := range []string{"v0.1.9", "v0.1.10", "v0.2.0", "v0.3.0-rc.1", "video"} {
		run("git", "tag", tag)
	}
	for version, want := range map[string]string{
		"dev":     "deploy --push dev\n",
		"v0.1.9":  "",
		"v0.1.10": "deploy --push v0.1\n",
		"v0.2.0":  "deploy --push --update-aliases v0.2 latest\nset-default --push latest\n",
	} {
		if err := os.WriteFile(log, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		run(filepath.Join(root, "hack", "docs", "publish.sh"), version)
		got, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s: mike was called with\n%s\nnot\n%s", version, got, want)
		}
	}
}

// Documentation of a version is published after the release, and never at the same time as another.
func TestDocsFollowTheRelease(t *testing.T) {
	type job struct {
		Needs, Uses string
		Concurrency struct{ Group string }
	}
	var docs struct {
		On   struct{ Push struct{ Tags []string } }
		Jobs map[string]job
	}
	var release struct{ Jobs map[string]job }
	if err := yaml.Unmarshal([]byte(strings.Replace(inRoot(t, ".github", "workflows", "docs.yml"), "\non:", "\n\"on\":", 1)), &docs); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(inRoot(t, ".github", "workflows", "release.yml")), &release); err != nil {
		t.Fatal(err)
	}
	if len(docs.On.Push.Tags) > 0 {
		t.Errorf("docs.yml publishes the tags %v before their release", docs.On.Push.Tags)
	}
	if group := docs.Jobs["publish"].Concurrency.Group; group == "" || strings.Contains(group, "${{") {
		t.Errorf("docs are published in the group %q, which is not one for all refs", group)
	}
	if after := release.Jobs["docs"]; after.Needs != "publish" || after.Uses != "./.github/workflows/docs.yml" {
		t.Errorf("the release's docs are %+v", after)
	}
}
