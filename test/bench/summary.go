package bench

import (
	"fmt"
	"os"
	"strings"
)

// The documentation's first page has a part of the figures between these lines.
const (
	firstFile    = "docs/index.md"
	summaryBegin = "<!-- Written by `make bench RECORD=1` from measurements. Do not edit. -->\n"
	summaryEnd   = "<!-- End of what is measured. -->\n"
	// summaryNodes is the size that every cloud is measured with.
	summaryNodes = 1000
)

// summarised are the measures on the first page: counts, which do not depend on the machine.
var summarised = []struct{ row, title string }{
	{"initialise: cloud calls", "to initialise all Nodes"},
	{"10 % NotReady: cloud calls", "a minute, a tenth of the Nodes NotReady"},
	{"idle: cloud calls, extrapolated", "an hour, nothing changes"},
	{"Services ensured again: cloud calls (writes)", "to ensure 50 unchanged Services (writes)"},
}

// summary is the table of the first page: a line for each cloud.
func summary(all []Measured) string {
	var b strings.Builder
	b.WriteString("| requests to the cloud, with 1,000 Nodes |")
	for _, s := range summarised {
		fmt.Fprintf(&b, " %s |", s.title)
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(summarised)) + "\n")
	for _, m := range all {
		if m.Nodes != summaryNodes {
			continue
		}
		fmt.Fprintf(&b, "| %s |", m.Cloud)
		for _, s := range summarised {
			for _, row := range rows {
				if row.name == s.row {
					fmt.Fprintf(&b, " %s |", row.of(m.Result))
				}
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// summarise puts the table of the results into the first page.
func summarise(page string, all []Measured) (string, error) {
	before, rest, began := strings.Cut(page, summaryBegin)
	_, after, ended := strings.Cut(rest, summaryEnd)
	if !began || !ended {
		return "", fmt.Errorf("%s has no lines %q and %q, between which the figures are", firstFile, strings.TrimSpace(summaryBegin), strings.TrimSpace(summaryEnd))
	}
	return before + summaryBegin + "\n" + summary(all) + "\n" + summaryEnd + after, nil
}

// writeSummary writes the table into the first page in a file.
func writeSummary(path string, all []Measured) error {
	have, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the first page: %w", err)
	}
	text, err := summarise(string(have), all)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
