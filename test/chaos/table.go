package chaos

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Table prints the results, and below it what was wrong. It returns how many bounds are broken.
func Table(w io.Writer, results []Result) (broken int, err error) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "scenario\twhat was done\tbound\tmeasured\tok\tseconds")
	for _, r := range results {
		verdict := "ok"
		if !r.OK {
			verdict = "BROKEN"
			broken++
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%.0f\n", r.Scenario, r.Done, r.Bound, r.Measured, verdict, r.Took.Seconds())
	}
	if err := t.Flush(); err != nil {
		return broken, fmt.Errorf("printing the table: %w", err)
	}
	for _, r := range results {
		if !r.OK && r.Detail != "" {
			fmt.Fprintf(w, "%s, %s: %s\n", r.Scenario, r.Done, r.Detail)
		}
	}
	return broken, nil
}
