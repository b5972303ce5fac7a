package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// display shows the story while it happens. Its methods may be called concurrently.
type display interface {
	step(text string) // what is done now
	change(c change)
	note(text string) // what takes time, and why
	close()           // nothing more is shown
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

func (l lines) note(text string) { fmt.Fprintln(l.out, text) }

func (lines) close() {}

// proof is why the removal of a Node takes time.
const proof = "two reads apart must miss its machine"

func waitingFor(missing []string) string {
	text := "waiting for: " + strings.Join(missing, "; ")
	if slices.Contains(missing, removal) {
		text += "; " + proof
	}
	return text
}
