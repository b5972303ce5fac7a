// Command bench measures what the binary costs with many nodes and prints a table.
//
//	go run ./cmd/bench -binary ../bin/cloud-controller-manager -nodes 100,1000,5000
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/multicloud-ccm/multicloud-ccm/test/bench"
)

type options struct {
	binary   string
	nodes    []int
	services int
	assert   bool
	quota    bool
	json     string
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err = run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	var nodes string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.binary, "binary", "../bin/cloud-controller-manager", "path of the binary to measure")
	flags.StringVar(&nodes, "nodes", "100,1000,5000", "numbers of nodes, one run each")
	flags.IntVar(&o.services, "services", 50, "number of load balancers")
	flags.BoolVar(&o.assert, "assert", false, "exit 1 when a count is beyond what is promised")
	flags.BoolVar(&o.quota, "quota", false, "refuse requests beyond the cloud's published limits")
	flags.StringVar(&o.json, "json", "", "write the results to this file, - for stdout")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	for field := range strings.SplitSeq(nodes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 {
			return o, fmt.Errorf("-nodes %q: want numbers above 0, with commas between", nodes)
		}
		o.nodes = append(o.nodes, n)
	}
	binary, err := filepath.Abs(o.binary)
	if err == nil {
		_, err = os.Stat(binary)
	}
	o.binary = binary
	return o, err
}

func run(ctx context.Context, o options) error {
	var results []bench.Result
	for _, n := range o.nodes {
		result, err := bench.Run(ctx, bench.Options{Binary: o.binary, Nodes: n, Services: o.services, Quota: o.quota, Progress: os.Stderr})
		if err != nil {
			return err
		}
		results = append(results, result)
	}
	if err := report(o, results); err != nil {
		return err
	}
	if o.assert {
		return violations(results)
	}
	return nil
}

func report(o options, results []bench.Result) error {
	if o.json != "-" {
		if err := bench.Table(os.Stdout, results); err != nil {
			return err
		}
		for _, result := range results {
			fmt.Printf("\ncloud calls with %d nodes, by route:\n", result.Nodes)
			bench.Routes(os.Stdout, result)
		}
	}
	if o.json == "" {
		return nil
	}
	data, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the results: %w", err)
	}
	data = append(data, '\n')
	if o.json == "-" {
		_, err = os.Stdout.Write(data)
		return err
	}
	return os.WriteFile(o.json, data, 0o644)
}

func violations(results []bench.Result) error {
	var all []error
	for _, result := range results {
		for _, violation := range result.Violations() {
			all = append(all, errors.New(violation))
		}
	}
	return errors.Join(all...)
}
