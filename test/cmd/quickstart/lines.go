package main

import (
	"fmt"
	"io"
	"strings"
)

// display shows the story while it happens. Its methods may be called concurrently.
type display interface {
	step(text string) // what is done now
	change(c change)
	why(text string)          // why the step takes time
	waiting(missing []string) // what takes time
	close()                   // nothing more is shown
}

// lines shows one line per change.
type lines struct{ out io.Writer }

func (l lines) step(text string) { fmt.Fprintln(l.out, "==>", text) }

func (l lines) change(c change) {
	was := ""
	switch {
	case c.after == gone && c.row.fact != "state", // once is enough
		c.before == "" && c.after == nothing:
		return
	case c.before != "" && c.before != nothing:
		was = c.before + " → "
	}
	fmt.Fprintf(l.out, "%-19s  %-6s  %-12s  %s\n", sideNames[c.side], c.row.subject, c.row.fact, was+c.after)
}

func (l lines) why(text string) { fmt.Fprintln(l.out, text) }

func (l lines) waiting(missing []string) { fmt.Fprintln(l.out, waitingFor(missing)) }

func (lines) close() {}

func waitingFor(missing []string) string { return "waiting for: " + strings.Join(missing, "; ") }
