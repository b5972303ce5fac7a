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

	"github.com/multicloud-ccm/multicloud-ccm/test/chaos"
)

func main() {
	binary := flag.String("binary", "../bin/cloud-controller-manager", "path of the binary to attack")
	only := flag.String("only", "", "scenarios to run, with commas between: "+strings.Join(chaos.Names(), ", "))
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *binary, *only)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, binary, only string) error {
	path, err := filepath.Abs(binary)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return err
	}
	o := chaos.Options{Binary: path, Progress: os.Stderr}
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
