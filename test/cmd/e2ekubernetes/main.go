// Command e2ekubernetes runs Kubernetes' own specs of load balancers on a cluster of this Linux machine, as root, with this controller
// manager: `make e2e-kubernetes`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/kubernetes"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
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
	flags.IntVar(&o.Lanes, "lanes", 3, "run so `many` specs at a time")
	flags.StringVar(&o.Dir, "dir", filepath.Join(root, "dist", "e2e-kubernetes"), "the `folder` for logs")
	check := flags.Bool("check", false, "only say what this machine lacks")
	record := flags.Bool("record", false, "add the results to the published ones and write docs/reference/kubernetes-e2e.md")
	if err := flags.Parse(args); err != nil {
		return flag.ErrHelp // flags has said what is wrong
	}
	if *record && (o.Focus != "" || !o.Slow || !o.Nodes) {
		return errors.New("-record publishes a whole run: it needs -slow and -nodes, and no -focus")
	}
	if *check {
		return kubernetes.Missing()
	}
	here := ccm.Here()
	results, err := kubernetes.Run(ctx, o)
	if err = errors.Join(kubernetes.Table(os.Stdout, results), err); err == nil && *record {
		err = kubernetes.Record(root, here, o, results)
	}
	return err
}
