package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Level is how bad a finding is.
type Level string

// Levels.
const (
	OK      Level = "ok"
	Warning Level = "warning"
	Failure Level = "failure"
)

// Finding is the result of one check.
type Finding struct {
	Check   string `json:"check"`
	Level   Level  `json:"level"`
	Message string `json:"message"`
	// Fix is what to do about it; "" when all is well.
	Fix string `json:"fix,omitempty"`
}

// Report are all findings, in the order in which things depend on each other: the first
// failure is the one to mend first.
type Report []Finding

// Failed reports whether something is wrong that does not go away by itself.
func (r Report) Failed() bool {
	return slices.ContainsFunc(r, func(f Finding) bool { return f.Level == Failure })
}

// Text prints the report as a table, each fix under its finding.
func (r Report) Text(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range r {
		fmt.Fprintf(table, "%s\t%s\t%s\n", strings.ToUpper(string(f.Level)), f.Check, f.Message)
		if f.Fix != "" {
			fmt.Fprintf(table, "\t\tfix: %s\n", f.Fix)
		}
	}
	return table.Flush()
}

// names lists the first few of many.
func names(all []string) string {
	const most = 3
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}
