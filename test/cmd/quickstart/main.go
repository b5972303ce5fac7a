// Command quickstart shows what a cloud controller manager is for. It runs two tiny
// clusters, each a real control plane, one without a CCM and one with ours on an emulated
// cloud; joins three nodes to each, creates a Service, stops one machine and deletes
// another, and shows side by side what becomes of Nodes and Service.
//
//	main.go         flags, signals, exit code
//	story.go        what happens, step by step
//	cluster.go      the clusters and their nodes
//	request.go      requests through the balancer
//	cloud*.go       the clouds and their machines
//	proxy.go        what kube-proxy would do on the machines
//	board.go        what is known about both clusters; row.go says what is shown of it
//	expectation.go  what has to happen in each cluster, and what must not
//	output.go       standard output; lines.go shows changes as lines, screen.go as a
//	                picture that is drawn anew, table.go is that picture; record.go
//	                records them
//	report.go       the end of the output
//
// `make quickstart` runs run.sh, which builds what is needed and reports how that goes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// options are what the user can choose.
type options struct {
	binary string
	cloud  string
	keep   bool
	// unattended ends with the result in the exit code instead of waiting for Ctrl-C.
	unattended bool
	// record is a file for the documentation's picture.
	record string
}

func main() {
	o := options{unattended: os.Getenv("QUICKSTART_EXIT") == "1"}
	flag.StringVar(&o.binary, "binary", "bin/cloud-controller-manager", "`path` of the CCM's binary")
	flag.StringVar(&o.cloud, "cloud", "sim", "`cloud`: sim, aws, digitalocean, gce, hcloud, openstack or static")
	flag.BoolVar(&o.keep, "keep", false, "keep logs, keys and data of the clusters and the CCM")
	flag.StringVar(&o.record, "record", "", "record what a terminal shows in this `file`, for the documentation's picture")
	check := flag.Bool("check", false, "only say what this machine lacks for the cloud")
	flag.Parse()
	if err := missing(o.cloud); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
	if *check {
		return
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, o)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case err == nil:
	case interrupted:
		os.Exit(130)
	case errors.Is(err, errUnmet): // the report has said what
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out, err := openOutput(o.record, cancel)
	if err != nil {
		return err
	}
	defer out.close()
	if err := checkBinary(o.binary); err != nil {
		return err
	}
	cloud, err := newCloud(ctx, o.cloud, out)
	if err != nil {
		return err
	}
	q := &quickstart{options: o, cloud: cloud, out: out, cancel: cancel}
	defer q.clean()
	return q.play(ctx)
}

func checkBinary(path string) error {
	info, err := os.Stat(path)
	if err == nil && (info.IsDir() || info.Mode()&0o111 == 0) {
		err = errors.New("it is not executable")
	}
	if err != nil {
		return fmt.Errorf("the CCM's binary is missing, run `make build`: %w", err)
	}
	return nil
}
