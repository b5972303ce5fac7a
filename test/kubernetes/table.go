package kubernetes

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table writes a line for each spec, and how many there are of each kind. An error names those that failed.
func Table(w io.Writer, results []Result) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	count, failed := map[Outcome]int{}, []string(nil)
	for _, r := range results {
		count[r.Outcome]++
		note := ""
		switch r.Outcome {
		case Failed:
			failed = append(failed, r.Spec.Short())
		case Skipped, Interrupted:
			note = r.Message
		case Passed:
		}
		fmt.Fprintf(table, "%s\t%.0f s\t%s\t%s\n", r.Outcome, r.Took.Seconds(), r.Spec.Short(), note)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped", count[Passed], count[Failed], count[Skipped])
	if n := count[Interrupted]; n > 0 {
		fmt.Fprintf(w, ", %d interrupted", n)
	}
	fmt.Fprintln(w)
	if len(failed) > 0 {
		return fmt.Errorf("specs failed: %s", strings.Join(failed, "; "))
	}
	return nil
}
