// Package command is the main function of the emulators' commands.
package command

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// Main runs a command until it is interrupted. An error ends the process with status 1.
func Main(name string, run func(ctx context.Context, args []string, out io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}

// Parse reads flags and refuses arguments beside them.
func Parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return fmt.Errorf("reading flags: %w", err)
	}
	if f.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return nil
}

// Serve prints URLs, a line each, and waits until ctx ends.
func Serve(ctx context.Context, out io.Writer, urls ...string) error {
	for _, url := range urls {
		if _, err := fmt.Fprintln(out, url); err != nil {
			return fmt.Errorf("printing the URL: %w", err)
		}
	}
	<-ctx.Done()
	return nil
}

// Names reads names with commas between.
func Names(text string) (names []string) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
