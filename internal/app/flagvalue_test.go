package app

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// withParts returns the commands and those that are a part of one.
func withParts(commands []*cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, cmd := range commands {
		all = append(append(all, cmd), withParts(cmd.Commands())...)
	}
	return all
}

// What is wrong with the value of a flag is said without the words of Go's functions, of each flag that there is.
func TestValuesOfFlagsArePlain(t *testing.T) {
	manager, err := Flags()
	if err != nil {
		t.Fatal(err)
	}
	sets := []*pflag.FlagSet{manager}
	for _, cmd := range withParts(Subcommands()) {
		sets = append(sets, cmd.Flags())
	}
	refused := 0
	for _, fs := range sets {
		fs.SetOutput(io.Discard)
		var names []string
		fs.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		for _, name := range names {
			for _, value := range []string{"30 minutes", `a"b`, "maybe"} {
				err := fs.Set(name, value)
				if err == nil {
					continue
				}
				refused++
				said := plainly(err)
				if slices.ContainsFunc([]string{"strconv", "time: ", "invalid syntax", "parse error", "bare \""}, func(word string) bool { return strings.Contains(said, word) }) {
					t.Errorf("--%s: %s", name, said)
				}
			}
		}
	}
	if refused < 50 {
		t.Errorf("%d values were refused", refused)
	}
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	fs.Duration("patience", 0, "")
	for value, want := range map[string]string{
		"30": "want a time with its unit, such as 30s, 5m or 1h30m", "2562048h": "want at most 2562047h", "1m.5h9999999999m": "want at most 2562047h",
	} {
		if got := plainly(fs.Parse([]string{"--patience=" + value})); got != "--patience="+value+": "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if err := fs.Parse([]string{"--patience=2562047h"}); err != nil {
		t.Error(err)
	}
}
