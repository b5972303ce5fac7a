package app

import (
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/pflag"
	"k8s.io/component-base/term"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
)

// paging are the flags of how text for people is written.
type paging struct {
	colour       string
	problemsOnly bool
}

func (p *paging) flags(fs *pflag.FlagSet) {
	colourFlag(fs, &p.colour)
	fs.BoolVar(&p.problemsOnly, "problems-only", false, "Print only what somebody has to look after.")
}

// check returns what is wrong with the flags, given the output format, "" for people's.
func (p *paging) check(format string) error {
	if p.problemsOnly && format != "" {
		return usagef("--problems-only is for the output for people: leave out --output=%s, which has everything", format)
	}
	return checkColour(p.colour)
}

func (p *paging) page(out io.Writer) layout.Page {
	return layout.Page{Width: width(out, os.Getenv), Colour: coloured(p.colour, out), ProblemsOnly: p.problemsOnly}
}

// colours are the values of --color.
var colours = []string{"auto", "always", "never"}

func colourFlag(fs *pflag.FlagSet, choice *string) {
	fs.StringVar(choice, "color", "auto", `Colours: "auto" on a terminal, "always" or "never".`)
}

func checkColour(choice string) error {
	if !slices.Contains(colours, choice) {
		return usagef("--color=%s: want auto, always or never", choice)
	}
	return nil
}

// width is how long lines may be: as the variable COLUMNS says, else as the terminal is wide.
func width(out io.Writer, getenv func(string) string) int {
	if columns, err := strconv.Atoi(getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	if columns, _, err := term.TerminalSize(out); err == nil && columns > 0 {
		return columns
	}
	return layout.DefaultWidth
}

// coloured reports whether to use colours: of themselves only on a terminal, and not where the
// environment asks for none (https://no-color.org).
func coloured(choice string, out io.Writer) bool {
	if choice != "auto" {
		return choice == "always"
	}
	file, ok := out.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
