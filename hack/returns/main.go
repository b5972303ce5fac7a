// Returns counts how often somebody who follows a path through the source comes back to a file that
// they have left already. Each function is read once, in the order in which it is reached.
//
//	go run ./returns [-alone] [-without PACKAGE,…] FOLDER ENTRY…
//	go run ./returns ../providers/openstack Resources+ResourceKinds Observe
//	go run ./returns ../kernel/loadbalancer Manager.Ensure
//
// For each entry it prints a line: the entry, the returns, and how many files and functions were read.
//
// An entry is a method of a type in FOLDER or below. Without a type it is one of Driver, or else of Balancers, of
// which a driver is made when it starts; the method may be that of an embedded part. Entries joined by + are one path:
// what the first one has read is not read again.
//
// What is read are the packages in FOLDER and below. A folder of the kernel stands for the whole kernel, which is read
// from any of its entries, but with -alone. Functions of other modules, of conformance and of packages for tests, whose names end in
// "test", are not read, nor are those of packages left out with -without: by name (second) or end of path
// (loadbalancer/second), and what is below them.
//
// A name of a function leads to that function. Where a name stands for a function that is chosen elsewhere:
//
//   - A method of an interface leads to its implementation, where what was loaded has exactly one. With more of them nothing
//     is read, because the reader does not know which one is meant.
//   - A call through a field of a struct leads to the functions that are assigned to the field anywhere in what was
//     loaded, in composite literals and assignments, also by way of other fields. Up to three are all read, ordered by
//     file and place: the reader has to know each of them. More of them are a table, of which none is read.
//   - A parameter or variable that holds a function leads nowhere.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "returns:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("returns", flag.ContinueOnError)
	alone := flags.Bool("alone", false, "read a folder of the kernel without the rest of the kernel")
	without := flags.String("without", "", "packages that are not read, separated by commas")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("reading the options: %w", err)
	}
	if flags.NArg() < 2 {
		return errors.New("usage: returns [-alone] [-without PACKAGE,...] FOLDER ENTRY")
	}
	var left []string
	if *without != "" {
		left = strings.Split(*without, ",")
	}
	folder, err := filepath.Abs(flags.Arg(0))
	if err != nil {
		return fmt.Errorf("making the path of %s absolute: %w", flags.Arg(0), err)
	}
	read := folder
	if !*alone {
		read = whole(folder)
	}
	code, err := load(folder, read, left)
	if err != nil {
		return fmt.Errorf("loading %s: %w", flags.Arg(0), err)
	}
	return printAll(code, flags.Args()[1:], out)
}

func printAll(code *source, paths []string, out io.Writer) error {
	for _, path := range paths {
		r := newReader(code)
		for _, name := range strings.Split(path, "+") {
			entry, err := code.entry(name)
			if err != nil {
				return err
			}
			r.follow(entry)
		}
		fmt.Fprintln(out, path, r.returns, len(r.opened), r.entered)
	}
	return nil
}
