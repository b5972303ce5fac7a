// Rehearse carries out the release workflow on this machine: every command of its job "publish", as it stands there, in a clone of this
// repository with a tag of its own, against a registry on this machine. What needs an account is a stand-in that writes down how it
// was called: docker, gh and cosign. goreleaser makes everything but the draft.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

func main() {
	variants := flag.String("variants", "all sim", "the images to make")
	repository := flag.String("repository", "../..", "the repository")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := rehearse(ctx, *repository, *variants, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "rehearse:", err)
		os.Exit(1)
	}
}

func rehearse(ctx context.Context, repository, variants string, out io.Writer) error {
	work, err := os.MkdirTemp("", "mccm-rehearsal-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	clone := filepath.Join(work, "clone")
	version, err := prepare(ctx, repository, clone)
	if err != nil {
		return fmt.Errorf("making a clone to release: %w", err)
	}
	calls, err := standIns(filepath.Join(work, "bin"))
	if err != nil {
		return fmt.Errorf("writing the stand-ins: %w", err)
	}
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	steps, err := readSteps(filepath.Join(clone, ".github", "workflows", "release.yml"))
	if err != nil {
		return err
	}
	env := append(environment(filepath.Join(work, "bin")),
		"VERSION="+version, "REHEARSAL=1", "VARIANTS="+variants,
		"REGISTRY="+host, "IMAGE="+host+"/multicloud-ccm/multicloud-ccm",
		"DOCKER_CONFIG="+filepath.Join(work, "registry"), "HELM_REGISTRY_CONFIG="+filepath.Join(work, "registry", "config.json"))
	for _, s := range steps {
		if err := s.carryOut(ctx, clone, env, out); err != nil {
			return err
		}
	}
	return checkCalls(calls, version, out)
}

// environment is this one without what a make around it has set. Programs are looked for in a folder first.
func environment(first string) []string {
	var env []string
	for _, variable := range os.Environ() {
		switch name, value, _ := strings.Cut(variable, "="); name {
		case "PATH":
			env = append(env, "PATH="+first+":"+value)
		case "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "GOFLAGS", "DIST", "PLATFORMS", "PROVIDERS":
		default:
			env = append(env, variable)
		}
	}
	return env
}

// carryOut runs a step as a runner does, or says what it would use.
func (s step) carryOut(ctx context.Context, clone string, env []string, out io.Writer) error {
	if s.Run == "" {
		fmt.Fprintf(out, "=== not here: %s\n", s.Uses)
		return nil
	}
	fmt.Fprintf(out, "=== %s\n", s.Name)
	start := time.Now()
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
	cmd.Dir, cmd.Stdout, cmd.Stderr = clone, out, os.Stderr
	cmd.Env = env
	for name := range s.Env {
		cmd.Env = append(cmd.Env, name+"=rehearsal")
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	fmt.Fprintf(out, "    %.0f s\n", time.Since(start).Seconds())
	return nil
}
