// Prose checks documents for the style of this project: plain sentences, standard terms, no
// riddles. It knows no grammar; it finds what was hard to read before.
//
//	prose FILE…
//	prose -code FILE…    only lines of code that are too wide
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stderr))
}

func run(paths []string, out io.Writer) int {
	found, rules := 0, check
	if len(paths) > 0 && paths[0] == "-code" {
		paths, rules = paths[1:], checkCode
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(out, "prose:", err)
			return 1
		}
		for _, p := range rules(string(content)) {
			fmt.Fprintf(out, "%s:%d: %s\n", path, p.line, p.text)
			found++
		}
	}
	if found > 0 {
		fmt.Fprintf(out, "prose: %d places to rewrite; the rules are in hack/prose\n", found)
		return 1
	}
	return 0
}
