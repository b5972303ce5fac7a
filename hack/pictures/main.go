// Command pictures draws what the documentation shows: terminals from what tests recorded, charts from what `make bench` measured. It
// also checks that what diagrams name is in the code.
//
//	terminal.go   a recording as rows of styled text; still.go and animation.go make SVG of them
//	recording.go  where recordings are, and which become pictures
//	chart.go      lines and bars; measured.go and counted.go read the figures
//	diagram.go    the Mermaid diagrams in the pages
//	figures.go    three figures on the first page
//	theme.go      the colours of the site, light and dark
//
// `make generate` runs it, and `make verify` fails when its results differ from what is committed.
package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// folder is where all pictures are, below the top of the repository.
const folder = "docs/assets/pictures"

func main() {
	root := "../.."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := run(root); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// run writes all pictures of a repository, and removes those that are none any more.
func run(root string) error {
	pictures := map[string][]byte{}
	for _, draw := range []func(root string, into map[string][]byte) error{drawStills, drawQuickstart, drawMeasured, drawCounted} {
		if err := draw(root, pictures); err != nil {
			return err
		}
	}
	dir := filepath.Join(root, folder)
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing the old pictures: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of the pictures: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(pictures)) {
		if err := os.WriteFile(filepath.Join(dir, name), pictures[name], 0o644); err != nil {
			return fmt.Errorf("writing a picture: %w", err)
		}
	}
	return errors.Join(writeFigures(root), checkDiagrams(root), checkUse(root, pictures))
}
