// Command e2ekubernetes runs Kubernetes' own specs of load balancers on a cluster of this Linux machine, as root, with this controller
// manager: `make e2e-kubernetes`.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/command"
	"github.com/multicloud-ccm/multicloud-ccm/test/kubernetes"
)

func main() { command.Main("e2ekubernetes", run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	root, err := ccm.Root()
	if err != nil {
		return err
	}
	o := kubernetes.Options{Progress: os.Stderr}
	flags := flag.NewFlagSet("e2ekubernetes", flag.ContinueOnError)
	flags.StringVar(&o.Cloud, "cloud", "sim", "the `provider`")
	flags.StringVar(&o.Focus, "focus", "", "run the specs with this `text` in their names")
	flags.BoolVar(&o.Slow, "slow", false, "run the rolling updates too, of a quarter of an hour")
	flags.BoolVar(&o.Nodes, "nodes", false, "run the spec of Nodes too, of another Kubernetes, which has to be built")
	flags.IntVar(&o.Processes, "procs", 3, "run so `many` specs at a time, each in a process of its own")
	flags.StringVar(&o.Dir, "dir", filepath.Join(root, "dist", "e2e-kubernetes"), "the `folder` for logs")
	check := flags.Bool("check", false, "only say what is wrong with the flags, and what this machine lacks")
	record := flags.Bool("record", false, "add the results to the published ones and write docs/reference/kubernetes-e2e.md")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	if *record && (o.Focus != "" || !o.Slow || !o.Nodes) {
		return errors.New("-record publishes a whole run: it needs -slow and -nodes, and no -focus")
	}
	if *check {
		return errors.Join(o.Check(), kubernetes.Missing())
	}
	here := ccm.Here()
	summary, err := kubernetes.Run(ctx, o)
	if err = errors.Join(kubernetes.Table(out, summary.Results), err); err == nil && *record {
		err = kubernetes.Record(root, here, o, summary)
	}
	return err
}
