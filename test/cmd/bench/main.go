// Command bench measures what the binary costs with many nodes and prints a table.
//
//	go run ./cmd/bench -cloud gce,aws -nodes 100,1000,5000
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/test/bench"
	"github.com/multicloud-ccm/multicloud-ccm/test/ccm"
	"github.com/multicloud-ccm/multicloud-ccm/test/command"
	"github.com/multicloud-ccm/multicloud-ccm/test/testcloud"
)

type options struct {
	binary   string
	clouds   []string
	nodes    []int
	services int
	assert   bool
	quota    bool
	json     string
	record   bool
	brief    bool
	burst    bool
	kubelets bool
	profiles string
}

func main() { command.Main("bench", run) }

func parse(args []string) (options, error) {
	var o options
	var nodes, clouds string
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.binary, "binary", "", "path of the binary to measure; by default one with the cloud's provider alone, as in its image, is built")
	flags.StringVar(&clouds, "cloud", "digitalocean", "test clouds, with commas between: "+strings.Join(testcloud.Names(), ", "))
	flags.StringVar(&nodes, "nodes", "100,1000,5000", "numbers of nodes, one run each")
	flags.IntVar(&o.services, "services", 50, "number of load balancers")
	flags.BoolVar(&o.assert, "assert", false, "exit 1 when a count is beyond what is promised")
	flags.BoolVar(&o.quota, "quota", false, "refuse requests beyond the cloud's published limits")
	flags.StringVar(&o.json, "json", "", "write the results to this file, - for stdout")
	flags.BoolVar(&o.record, "record", false, "add the results to the published ones and write docs/reference/performance.md")
	flags.BoolVar(&o.brief, "brief", false, "only initialise the nodes and make the Services; what else is counted stays 0")
	flags.BoolVar(&o.burst, "burst", false, "only initialise the nodes and make the Services all at once, with the cloud's limit enforced, while a Node joins")
	flags.BoolVar(&o.kubelets, "certificates", false, "only initialise the nodes and approve the serving certificates that all kubelets ask for at once")
	flags.StringVar(&o.profiles, "profiles", "", "write CPU and heap profiles of both, and of ensures that change nothing, into this folder, with the functions on top as text; it implies -brief")
	if err := command.Parse(flags, args); err != nil {
		return o, err
	}
	if o.brief = o.brief || o.profiles != ""; (o.brief || o.kubelets) && o.record {
		return o, errors.New("-record publishes a whole run, or one with -burst: leave -brief, -certificates and -profiles out")
	}
	if o.clouds = command.Names(clouds); len(o.clouds) == 0 {
		return o, fmt.Errorf("-cloud %q: want test clouds, with commas between: %s", clouds, strings.Join(testcloud.Names(), ", "))
	}
	for _, name := range o.clouds {
		if err := testcloud.Missing(name); err != nil {
			return o, err
		}
	}
	for field := range strings.SplitSeq(nodes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 {
			return o, fmt.Errorf("-nodes %q: want numbers above 0, with commas between", nodes)
		}
		o.nodes = append(o.nodes, n)
	}
	if o.binary == "" {
		return o, nil
	}
	binary, err := filepath.Abs(o.binary)
	if err == nil {
		_, err = os.Stat(binary)
	}
	o.binary = binary
	return o, err
}

// binaryFor returns the binary to measure on a cloud.
func (o options) binaryFor(ctx context.Context, cloud string) (string, error) {
	if o.binary != "" {
		return o.binary, nil
	}
	root, err := ccm.Root()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(os.Stderr, "==> building a binary with the provider %s alone\n", cloud)
	return ccm.Build(ctx, ccm.BuildOptions{Dir: filepath.Join(root, "bin", cloud), Providers: []string{cloud}})
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	// The control plane is as in a cluster, see process.Start.
	if err := os.Setenv("GOGC", "100"); err != nil {
		return err
	}
	var results []bench.Result
	var unrecorded error
	for _, cloud := range o.clouds {
		binary, err := o.binaryFor(ctx, cloud)
		if err != nil {
			return err
		}
		for _, n := range o.nodes {
			here := ccm.Here()
			result, err := bench.Run(ctx, bench.Options{Binary: binary, Cloud: cloud, Nodes: n, Services: o.services, Quota: o.quota, Brief: o.brief, Burst: o.burst, Certificates: o.kubelets, Profiles: o.profiles, Progress: os.Stderr})
			if err != nil {
				return err
			}
			results = append(results, result)
			if o.record {
				unrecorded = errors.Join(unrecorded, record(here, result))
			}
		}
	}
	if err := report(o, results, out); err != nil {
		return err
	}
	if o.assert {
		return errors.Join(unrecorded, violations(results))
	}
	return unrecorded
}

// record publishes a result.
func record(here ccm.Place, result bench.Result) error {
	root, err := ccm.Root()
	if err != nil {
		return err
	}
	return bench.Record(root, bench.Measured{Result: result, Place: here})
}

func report(o options, results []bench.Result, out io.Writer) error {
	if o.json != "-" {
		if err := bench.Table(out, results); err != nil {
			return err
		}
		for _, result := range results {
			fmt.Fprintf(out, "\n%s: cloud calls with %d nodes, by route:\n", result.Cloud, result.Nodes)
			bench.Routes(out, result)
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
		_, err = out.Write(data)
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
