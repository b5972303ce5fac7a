// Command e2eversions runs the tests of the chart, of Nodes and of Services on the API server of each minor version of Kubernetes that
// the chart accepts: `make e2e-versions`.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/command"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
	"github.com/multicloud-ccm/multicloud-ccm/test/versions"
)

func main() { command.Main("e2eversions", run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	root, err := ccm.Root()
	if err != nil {
		return err
	}
	all, err := controlplane.OlderMinorVersions()
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("e2eversions", flag.ContinueOnError)
	only := flags.String("only", strings.Join(all, ","), "the minor `versions`, with commas between them")
	clouds := flags.String("clouds", "sim,digitalocean,gce,hcloud,aws,static", "the `providers`, with commas between them")
	record := flags.Bool("record", false, "add the results to the published ones and write docs/reference/kubernetes-versions.md")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	var broken []string
	for minor := range strings.SplitSeq(*only, ",") {
		if !slices.Contains(all, minor) {
			return fmt.Errorf("-only has %q; it has to be some of %s", minor, strings.Join(all, ","))
		}
		fmt.Fprintf(out, "==> Kubernetes %s\n", minor)
		r, err := versions.Run(ctx, versions.Options{Root: root, Minor: minor, Clouds: strings.Split(*clouds, ","), Progress: os.Stderr})
		if err != nil {
			return err
		}
		for _, o := range r.Areas {
			fmt.Fprintf(out, "%s  %-14s  %d passed  %d failed  %d skipped  %4d s\n", r.Kubernetes, o.Area, o.Passed, o.Failed, o.Skipped, o.Seconds)
		}
		if r.Failed() {
			broken = append(broken, r.Kubernetes)
			continue
		}
		if *record {
			if err := versions.Record(root, r); err != nil {
				return err
			}
		}
	}
	if len(broken) > 0 {
		return fmt.Errorf("tests failed on %s", strings.Join(broken, ", "))
	}
	return nil
}
