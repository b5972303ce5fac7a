package plan

import (
	"fmt"
	"io"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
)

// The colours of a terminal, as its control sequences.
const (
	reset  = "\x1b[0m"
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
)

// painter colours text, or leaves it.
type painter bool

func (p painter) paint(colour, text string) string {
	if !p {
		return text
	}
	return colour + text + reset
}

// Text writes the report for people: what is to be done grouped by subject, in the lines of
// Plan.Text, then one line that counts.
//
//	line                     colour
//	subject                  bold
//	+                        green
//	~ and warnings           yellow
//	-, blocked and errors    red
func (r Report) Text(w io.Writer, colour bool) error {
	var out strings.Builder
	for _, e := range r.Plans {
		out.WriteString(e.Text(colour) + "\n")
	}
	fmt.Fprintf(&out, "%s\n", painter(colour).paint(bold, r.Summary.line(r.Cloud)))
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("writing the plans: %w", err)
	}
	return nil
}

// Text returns the entry for people, its subject first, then a line for each operation, step, warning
// and error, in the colours of Report.Text.
func (e Entry) Text(colour bool) string {
	p := painter(colour)
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", p.paint(bold, printable(e.Subject)))
	for _, op := range e.Operations {
		fmt.Fprintf(&out, "  %s\n", p.paint(colourOf(op), line(op)))
	}
	out.WriteString(e.steps())
	for _, warning := range e.Warnings {
		fmt.Fprintf(&out, "  %s\n", p.paint(yellow, "warning "+warning.Reason+": "+printable(warning.Message)))
	}
	for _, note := range e.Notes {
		fmt.Fprintf(&out, "  note: %s\n", printable(note))
	}
	if e.Error != nil {
		fmt.Fprintf(&out, "  %s\n", p.paint(red, "error: "+printable(e.Error.Message)))
	}
	return out.String()
}

func colourOf(op cloud.Operation) string {
	switch {
	case op.Blocked != "", op.Verb == cloud.Delete:
		return red
	case op.Verb == cloud.Create:
		return green
	default:
		return yellow
	}
}

func (s Summary) line(cloudName string) string {
	subjects := fmt.Sprintf("%d looked at on %s", s.Subjects, printable(cloudName))
	text := "Plan: nothing to do; " + subjects
	if s.Failed > 0 {
		text = "Plan: nothing to do in what could be planned; " + subjects
	}
	if s.Create+s.Update+s.Delete > 0 {
		text = fmt.Sprintf("Plan: %d to create, %d to update, %d to delete; %d of %s", s.Create, s.Update, s.Delete, s.Differing, subjects)
	}
	if s.Blocked > 0 {
		text += fmt.Sprintf("; %d blocked", s.Blocked)
	}
	if s.Failed > 0 {
		text += fmt.Sprintf("; %d could not be planned", s.Failed)
	}
	return text + "."
}
