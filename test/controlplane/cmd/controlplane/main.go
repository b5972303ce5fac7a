// Command controlplane builds and runs a real Kubernetes control plane on this
// machine, without root, containers or images.
//
//	controlplane build   build the programs, once per version
//	controlplane up      run a control plane until Ctrl-C
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/multicloud-ccm/multicloud-ccm/test/command"
	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

const usage = `usage: controlplane build|up [flags]

  build   build etcd, kube-apiserver, kube-controller-manager and kubectl,
          with -nodes kube-scheduler, kubelet and kube-proxy too
  up      run a control plane until Ctrl-C

`

func main() { command.Main("controlplane", run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	opts := controlplane.Options{Progress: os.Stderr}
	flags := flag.NewFlagSet("controlplane", flag.ContinueOnError)
	flags.StringVar(&opts.CacheDir, "cache", "", "`directory` that keeps built programs (default $MCCM_CACHE, else the user's cache)")
	flags.BoolVar(&opts.KeepDir, "keep", false, "keep logs, keys and data after the end of up")
	nodes := flags.Bool("nodes", false, "build what runs on nodes too")
	subcommand, err := command.ParseSubcommand(flags, usage, args, "build", "up")
	if err != nil {
		return err
	}
	if subcommand == "build" {
		return build(ctx, opts, *nodes, out)
	}
	return up(ctx, opts, out)
}

// build prints the paths of the programs.
func build(ctx context.Context, opts controlplane.Options, nodes bool, out io.Writer) error {
	compile := controlplane.Build
	if nodes {
		compile = controlplane.BuildNode
	}
	binaries, err := compile(ctx, opts)
	if err != nil {
		return err
	}
	paths := []string{binaries.Etcd, binaries.APIServer, binaries.ControllerManager, binaries.Kubectl}
	if nodes {
		paths = append(paths, binaries.Scheduler, binaries.Kubelet, binaries.KubeProxy)
	}
	for _, path := range paths {
		fmt.Fprintln(out, path)
	}
	return nil
}

// up prints the path of the admin's kubeconfig.
func up(ctx context.Context, opts controlplane.Options, out io.Writer) error {
	binaries, err := controlplane.Build(ctx, opts)
	if err != nil {
		return err
	}
	cp, err := controlplane.Start(ctx, opts)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, cp.AdminKubeconfig())
	fmt.Fprintf(os.Stderr, "\ntry:  %s --kubeconfig %s get namespaces\nend:  Ctrl-C\n",
		binaries.Kubectl, cp.AdminKubeconfig())
	<-ctx.Done()
	return cp.Stop()
}
