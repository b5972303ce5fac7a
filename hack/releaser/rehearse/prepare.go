package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"
)

var chartVersion = regexp.MustCompile(`(?m)^version: (.+)$`)

// prepare makes a clone in which the version of the chart is one that can be released, with its tag, and returns the version.
func prepare(ctx context.Context, repository, clone string) (string, error) {
	if err := command(ctx, repository, "git", "clone", "--quiet", ".", clone); err != nil {
		return "", err
	}
	chart, err := os.ReadFile(filepath.Join(clone, "charts", "multicloud-ccm", "Chart.yaml"))
	if err != nil {
		return "", err
	}
	match := chartVersion.FindSubmatch(chart)
	if match == nil {
		return "", errors.New("the Chart.yaml says no version")
	}
	number := string(match[1])
	path := filepath.Join(clone, "CHANGELOG.md")
	changelog, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if !strings.Contains(string(changelog), "\n## ["+number+"]") {
		text := strings.Replace(string(changelog), "\n## [Unreleased]", "\n## [Unreleased]\n\n## ["+number+"]", 1)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	tools, err := filepath.Abs(filepath.Join(repository, "bin"))
	if err != nil {
		return "", err
	}
	// Built already, they need not be built again. A copy is newer than the go.mod that make compares it with.
	for _, args := range [][]string{
		{"mkdir", "-p", "bin"},
		{"bash", "-c", "for tool in goreleaser helm; do [[ ! -e $0/$tool ]] || cp $0/$tool bin; done", tools},
		{"git", "-c", "user.name=rehearsal", "-c", "user.email=rehearsal@example.com", "commit", "--quiet", "--allow-empty", "-am", "release"},
		{"git", "tag", "-f", "v" + number},
	} {
		if err := command(ctx, clone, args[0], args[1:]...); err != nil {
			return "", err
		}
	}
	return "v" + number, nil
}

func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w: %s", name, args, err, out)
	}
	return nil
}

// standIn writes down its call. What it was to write is an empty file.
const standIn = `#!/bin/sh
echo "$(basename "$0") $*" >>"$(dirname "$0")/calls"
for argument; do
  case $argument in --bundle=*) : >"${argument#--bundle=}" ;; esac
done
`

// standIns writes programs in the place of those that need an account, and returns the file that they write down their calls in.
func standIns(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"cosign", "docker", "gh"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(standIn), 0o755); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "calls"), nil
}

// checkCalls compares what the stand-ins were called for with what a release needs, in this order.
func checkCalls(path, version string, out io.Writer) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rest := "\n" + string(content)
	for _, want := range []string{
		"cosign sign-blob ", "gh release upload " + version, "docker login ", "cosign sign --yes ", "cosign attest --yes --type spdxjson ", "gh release edit " + version,
	} {
		_, after, found := strings.Cut(rest, "\n"+want)
		if !found {
			return fmt.Errorf("nothing called %q, or too early; the calls were\n%s", want, content)
		}
		rest = "\n" + after
	}
	_, err = fmt.Fprintf(out, "=== called where an account is needed\n%s", content)
	return err
}

type step struct {
	Name, Uses, Run string
	Env             map[string]string
}

// readSteps reads the steps of the job that publishes.
func readSteps(path string) ([]step, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var workflow struct {
		Jobs map[string]struct{ Steps []step }
	}
	if err := yaml.Unmarshal(content, &workflow); err != nil {
		return nil, fmt.Errorf("reading the workflow: %w", err)
	}
	steps := workflow.Jobs["publish"].Steps
	if len(steps) == 0 {
		return nil, fmt.Errorf("%s has no job \"publish\" with steps", path)
	}
	return steps, nil
}
