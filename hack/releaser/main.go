// Releaser makes of what was built what a release publishes. hack/release.sh calls it.
//
//	releaser chart -version VERSION -out DIR NAME…   the chart of a release, ready for `helm package`
//	releaser notes -version VERSION                  the changelog of a release
//	releaser repack -time TIME ARCHIVE                a chart's archive that depends on no clock
//	releaser manifests -version VERSION -checksums FILE -out DIR   krew's manifest and Homebrew's formula
//	releaser push -from DIR -to REPOSITORY -digests FILE   image layouts to a registry
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "releaser:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("say which command: chart, manifests, notes, push or repack")
	}
	switch args[0] {
	case "chart":
		return runChart(args[1:])
	case "manifests":
		return runManifests(args[1:])
	case "notes":
		return runNotes(args[1:], out)
	case "push":
		return runPush(ctx, args[1:], out)
	case "repack":
		return runRepack(args[1:])
	default:
		return fmt.Errorf("there is no command %q; there are chart, manifests, notes, push and repack", args[0])
	}
}

// common are the flags of the commands that are about a version.
type common struct {
	flags     *flag.FlagSet
	version   string
	changelog string
	// strict wants a section of the version in the changelog; without it Unreleased counts.
	strict bool
}

func newCommon(name string) *common {
	c := &common{flags: flag.NewFlagSet(name, flag.ContinueOnError)}
	c.flags.StringVar(&c.version, "version", "", "the version, such as v0.2.0")
	c.flags.StringVar(&c.changelog, "changelog", "CHANGELOG.md", "the changelog")
	c.flags.BoolVar(&c.strict, "strict", false, "refuse a version that the changelog has no section of, in place of taking Unreleased")
	return c
}

// section reads the version's section of the changelog.
func (c *common) section() (string, error) {
	if err := checkVersion(c.version); err != nil {
		return "", err
	}
	content, err := os.ReadFile(c.changelog)
	if err != nil {
		return "", fmt.Errorf("reading the changelog: %w", err)
	}
	return section(string(content), c.version, c.strict)
}
