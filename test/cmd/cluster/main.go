// Command cluster runs a real Kubernetes cluster on this Linux machine, as root, whose nodes
// run pods.
//
//	cluster up      run a cluster until Ctrl-C
//	cluster show    the same, with the chart installed, to look at: `make quickstart REAL=1`
//	cluster clean   remove what clusters left that were killed
//	cluster missing print what this machine lacks to run one, nothing when nothing
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/cluster"
	"github.com/multicloud-ccm/multicloud-ccm/test/command"
)

const usage = `usage: cluster up|show|clean|missing [flags]

  up      run a cluster until Ctrl-C
  show    the same, with the chart installed on a cloud of this machine
  clean   remove what clusters left that were killed; the next up does that too
  missing print what this machine lacks to run a cluster, nothing when nothing

`

func main() { command.Main("cluster", run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	opts := cluster.Options{Progress: os.Stderr}
	flags := flag.NewFlagSet("cluster", flag.ContinueOnError)
	flags.IntVar(&opts.Nodes, "nodes", 2, "how many `nodes`, 9 at most")
	flags.BoolVar(&opts.NoPodNetwork, "no-pod-network", false, "leave nodes NotReady, as without a network add-on")
	flags.BoolVar(&opts.KeepDir, "keep", false, "keep logs and data after the end of up, until the next one")
	images := map[string]string{} // paths by name
	flags.Func("image", "give nodes the image `name=path`, an OCI layout or an archive of docker save", func(value string) error {
		name, path, ok := strings.Cut(value, "=")
		if !ok {
			return errors.New("want name=path")
		}
		images[name] = path
		return nil
	})
	cloud := flags.String("cloud", "sim", "the `cloud` of show: sim, digitalocean, hcloud or openstack")
	subcommand, err := command.ParseSubcommand(flags, usage, args, "up", "show", "clean", "missing")
	if err != nil {
		return err
	}
	switch subcommand {
	case "up":
		return up(ctx, opts, images, out)
	case "show":
		return show(ctx, opts, *cloud)
	case "clean":
		return cluster.Clean(ctx)
	default:
		if err := cluster.Missing(); err != nil {
			fmt.Fprintln(out, err)
		}
		return nil
	}
}

// up prints the path of the admin's kubeconfig.
func up(ctx context.Context, opts cluster.Options, images map[string]string, out io.Writer) error {
	c, err := cluster.Start(ctx, opts)
	if err != nil {
		return err
	}
	for name, path := range images {
		if err := c.LoadImage(ctx, name, path); err != nil {
			return errors.Join(err, c.Stop()) //nolint:contextcheck // cleaning up goes on after ctx's end
		}
	}
	fmt.Fprintln(out, c.AdminKubeconfig())
	fmt.Fprintf(os.Stderr, `
nodes are tainted until a cloud controller manager initialises them
logs  %s
try   export KUBECONFIG=%s
      %s get nodes -o wide
end   Ctrl-C
`, c.Dir(), c.AdminKubeconfig(), c.Binaries().Kubectl)
	<-ctx.Done()
	return c.Stop() //nolint:contextcheck // cleaning up begins with ctx's end
}
