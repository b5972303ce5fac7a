package plan

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
)

// Text writes the report for people: what is to be done grouped by subject, in the lines of
// Plan.Text, then one line that counts. Lines wrap at the width of the page.
//
//	line                     colour
//	subject                  bold
//	+                        green
//	~ and warnings           yellow
//	-, blocked and errors    red
func (r Report) Text(w io.Writer, page layout.Page) error {
	var out strings.Builder
	for _, e := range r.Plans {
		out.WriteString(e.Text(page, "") + "\n")
	}
	out.WriteString(page.Painted(layout.Bold, "", "  ", r.Summary.line(r.Cloud)))
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("writing the plans: %w", err)
	}
	return nil
}

// Text returns the entry for people, its subject first, then a line for each operation, step, warning
// and error, in the colours of Report.Text. All lines begin with indent. A warning that says what the error
// is stands for that.
func (e Entry) Text(page layout.Page, indent string) string {
	var out strings.Builder
	write := func(colour layout.Colour, text string) {
		out.WriteString(page.Painted(colour, indent+"  ", indent+"      ", text))
	}
	out.WriteString(page.Painted(layout.Bold, indent, indent+"  ", printable(e.Subject)))
	for _, op := range e.Operations {
		write(colourOf(op), line(op))
	}
	out.WriteString(e.steps(page, indent))
	for _, warning := range e.Warnings {
		if text := warning.Reason + ": " + printable(warning.Message); e.Error.isSaidBy(warning) {
			write(layout.Red, "error "+text)
		} else {
			write(layout.Yellow, "warning "+text)
		}
	}
	for _, note := range e.Notes {
		write("", "note: "+printable(note))
	}
	if e.Error != nil && !e.SaysError() {
		write(layout.Red, "error: "+printable(e.Error.Message))
	}
	return out.String()
}

// isSaidBy reports whether a warning has a part of the failure.
func (f *Failure) isSaidBy(w Warning) bool {
	return f != nil && slices.ContainsFunc(f.parts, func(part string) bool { return strings.Contains(w.Message, part) })
}

// SaysError reports whether the warnings say everything that the error does.
func (e Entry) SaysError() bool {
	if e.Error == nil || len(e.Error.parts) == 0 {
		return false
	}
	for _, part := range e.Error.parts {
		if !slices.ContainsFunc(e.Warnings, func(w Warning) bool { return strings.Contains(w.Message, part) }) {
			return false
		}
	}
	return true
}

func colourOf(op cloud.Operation) layout.Colour {
	switch {
	case op.Blocked != "", op.Verb == cloud.Delete:
		return layout.Red
	case op.Verb == cloud.Create:
		return layout.Green
	default:
		return layout.Yellow
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
