package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The workflow's steps are read as they stand there: those that are commands, and those of others.
func TestReadSteps(t *testing.T) {
	steps, err := readSteps(filepath.Join("..", "..", "..", ".github", "workflows", "release.yml"))
	if err != nil {
		t.Fatal(err)
	}
	draft := slices.IndexFunc(steps, func(s step) bool { return strings.Contains(s.Run, "STEPS=draft") })
	if draft < 0 || steps[draft].Env["GITHUB_TOKEN"] == "" {
		t.Errorf("no step makes a draft with a token: %+v", steps)
	}
	if !slices.ContainsFunc(steps, func(s step) bool { return strings.HasPrefix(s.Uses, "actions/attest-build-provenance@") && s.Run == "" }) {
		t.Error("no step attests the provenance")
	}
}

func TestCheckCalls(t *testing.T) {
	calls := []string{
		"cosign sign-blob --yes --bundle=b f", "gh release upload v1.0.0 f", "docker login r", "cosign sign --yes i",
		"cosign attest --yes --type spdxjson --predicate s i", "gh release edit v1.0.0 --draft=false",
	}
	check := func(calls []string) error {
		path := filepath.Join(t.TempDir(), "calls")
		if err := os.WriteFile(path, []byte(strings.Join(calls, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return checkCalls(path, "v1.0.0", io.Discard)
	}
	if err := check(calls); err != nil {
		t.Error(err)
	}
	for i := range calls {
		if check(slices.Delete(slices.Clone(calls), i, i+1)) == nil {
			t.Errorf("nobody misses %q", calls[i])
		}
	}
	slices.Reverse(calls)
	if check(calls) == nil {
		t.Error("the order does not matter")
	}
}

// A stand-in writes down its call, and the file that its caller reads next.
func TestStandIns(t *testing.T) {
	dir := t.TempDir()
	calls, err := standIns(dir)
	if err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(dir, "bundle")
	if err := command(t.Context(), dir, filepath.Join(dir, "cosign"), "sign-blob", "--bundle="+bundle, "f"); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(calls)
	if _, there := os.Stat(bundle); err != nil || there != nil || string(content) != "cosign sign-blob --bundle="+bundle+" f\n" {
		t.Errorf("%q %v %v", content, err, there)
	}
}
