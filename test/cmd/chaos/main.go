// Command chaos attacks the binary and prints what was lost as a table. It exits with 1 when a bound
// is broken.
//
//	go run ./cmd/chaos -binary ../bin/cloud-controller-manager
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/multicloud-ccm/multicloud-ccm/test/chaos"
)

func main() {
	binary := flag.String("binary", "../bin/cloud-controller-manager", "path of the binary to attack")
	only := flag.String("only", "", "scenarios to run, with commas between: "+strings.Join(chaos.Names(), ", "))
	soak := flag.Duration("soak", 0, "how long to soak: all sorts of things at once; not at all when 0")
	seed := flag.Uint64("seed", 1, "decides what happens in a soak")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *binary, *only, *soak, *seed)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, only string, soak time.Duration, seed uint64) error {
	path, err := filepath.Abs(binary)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return err
	}
	o := chaos.Options{Binary: path, Progress: os.Stderr, Soak: soak, Seed: seed}
	if only != "" {
		o.Only = strings.Split(only, ",")
	}
	results, err := chaos.Run(ctx, o)
	if err != nil {
		return err
	}
	broken, err := chaos.Table(os.Stdout, results)
	if err == nil && (broken > 0 || len(results) == 0) {
		err = fmt.Errorf("%d of %d bounds are broken", broken, len(results))
	}
	return err
}
