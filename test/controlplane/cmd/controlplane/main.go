// Command controlplane builds and runs a real Kubernetes control plane on this
// machine, without root, containers or images.
//
//	controlplane build   build the programs, once per version
//	controlplane up      run a control plane until Ctrl-C
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/multicloud-ccm/multicloud-ccm/test/controlplane"
)

const usage = `usage: controlplane build|up [flags]

  build   build etcd, kube-apiserver, kube-controller-manager and kubectl,
          with -nodes kube-scheduler, kubelet and kube-proxy too
  up      run a control plane until Ctrl-C

`

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
	opts := controlplane.Options{Progress: os.Stderr}
	flags := flag.NewFlagSet("controlplane", flag.ContinueOnError)
	flags.StringVar(&opts.CacheDir, "cache", "", "`directory` that keeps built programs (default $MCCM_CACHE, else the user's cache)")
	flags.BoolVar(&opts.KeepDir, "keep", false, "keep logs, keys and data after the end of up")
	nodes := flags.Bool("nodes", false, "build what runs on nodes too")
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	if len(args) == 0 {
		flags.Usage()
		return flag.ErrHelp
	}
	if err := flags.Parse(args[1:]); err != nil {
		return flag.ErrHelp // flags has said what is wrong
	}
	switch args[0] {
	case "build":
		return build(ctx, opts, *nodes)
	case "up":
		return up(ctx, opts)
	default:
		flags.Usage()
		return flag.ErrHelp
	}
}

// build prints the paths of the programs on standard output.
func build(ctx context.Context, opts controlplane.Options, nodes bool) error {
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
		fmt.Println(path)
	}
	return nil
}

// up prints the path of the admin's kubeconfig on standard output.
func up(ctx context.Context, opts controlplane.Options) error {
	binaries, err := controlplane.Build(ctx, opts)
	if err != nil {
		return err
	}
	cp, err := controlplane.Start(ctx, opts)
	if err != nil {
		return err
	}
	fmt.Println(cp.AdminKubeconfig())
	fmt.Fprintf(os.Stderr, "\ntry:  %s --kubeconfig %s get namespaces\nend:  Ctrl-C\n",
		binaries.Kubectl, cp.AdminKubeconfig())
	<-ctx.Done()
	return cp.Stop()
}
