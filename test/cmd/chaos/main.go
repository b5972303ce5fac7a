// Command chaos attacks the binary and prints what was lost as a table. It exits with 1 when a bound
// is broken.
//
//	go run ./cmd/chaos -binary ../bin/cloud-controller-manager
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/chaos"
	"github.com/multicloud-ccm/multicloud-ccm/test/command"
)

func main() { command.Main("chaos", run) }

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	binary := flags.String("binary", "../bin/cloud-controller-manager", "path of the binary to attack")
	only := flags.String("only", "", "scenarios to run, with commas between: "+strings.Join(chaos.Names(), ", "))
	soak := flags.Duration("soak", 0, "how long to soak: all sorts of things at once; not at all when 0")
	seed := flags.Uint64("seed", 1, "decides what happens in a soak")
	if err := command.Parse(flags, args); err != nil {
		return err
	}
	path, err := filepath.Abs(*binary)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return err
	}
	o := chaos.Options{Binary: path, Progress: os.Stderr, Soak: *soak, Seed: *seed, Only: command.Names(*only)}
	results, err := chaos.Run(ctx, o)
	if err != nil {
		return err
	}
	broken, err := chaos.Table(out, results)
	if err == nil && (broken > 0 || len(results) == 0) {
		err = fmt.Errorf("%d of %d bounds are broken", broken, len(results))
	}
	return err
}
