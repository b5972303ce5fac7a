// Package command is what the main functions of the test module's commands have in common.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// Main runs a command until it ends or is interrupted. An error ends the process with status 1, and flags that are wrong, of which package
// flag has told, with status 2.
func Main(name string, run func(ctx context.Context, args []string, out io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}

// Parse reads flags and refuses arguments beside them.
func Parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		return flag.ErrHelp // f has said what is wrong
	}
	if f.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return nil
}

// ParseSubcommand returns the subcommand that arguments begin with, and reads the flags behind it. Where there is none of that name, the
// usage and the flags are shown.
func ParseSubcommand(f *flag.FlagSet, usage string, args []string, names ...string) (string, error) {
	f.Usage = func() {
		fmt.Fprint(f.Output(), usage)
		f.PrintDefaults()
	}
	if len(args) == 0 || !slices.Contains(names, args[0]) {
		f.Usage()
		return "", flag.ErrHelp
	}
	return args[0], Parse(f, args[1:])
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
