package inspect

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/multicloud-ccm/multicloud-ccm/kernel/cloud"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/event"
	"github.com/multicloud-ccm/multicloud-ccm/kernel/layout"
)

// ExplanationVersion is that of the JSON form of an Explanation.
const ExplanationVersion = 1

// Explanation is what is known of one object, and why.
type Explanation struct {
	Version int `json:"version"`
	// Subject is the object, such as "Node worker-1".
	Subject string `json:"subject"`
	// Sections are the parts of what is known. One that has nothing to say is left out.
	Sections []Section `json:"sections"`
}

// Section is a part of an Explanation.
type Section struct {
	// Title is for people, and may change.
	Title string `json:"title"`
	Facts []Fact `json:"facts"`
}

// Fact is one thing that is known.
type Fact struct {
	// Name is what the fact is about; several facts of a section may have the same.
	Name  string `json:"name"`
	Value string `json:"value"`
	// Why is where it comes from, or what follows.
	Why string `json:"why,omitempty"`
	// Problem is whether somebody has to look after it.
	Problem bool `json:"problem,omitempty"`
}

// section adds a section and returns what adds facts to it.
func (e *Explanation) section(title string) *Section {
	e.Sections = append(e.Sections, Section{Title: title, Facts: []Fact{}})
	return &e.Sections[len(e.Sections)-1]
}

func (s *Section) add(name, value, why string) {
	s.Facts = append(s.Facts, Fact{Name: name, Value: value, Why: why})
}

func (s *Section) problem(name, value, why string) {
	s.Facts = append(s.Facts, Fact{Name: name, Value: value, Why: why, Problem: true})
}

// Text writes the explanation for people: sections and facts with problems first, which "!" marks. Control characters are
// escaped: values come from objects that anybody may have written.
func (e Explanation) Text(w io.Writer, page layout.Page) error {
	var out strings.Builder
	out.WriteString(page.Paint(layout.Bold, printable(e.Subject)) + "\n")
	sections := slices.Clone(e.Sections)
	slices.SortStableFunc(sections, func(a, b Section) int { return cmp.Compare(a.rank(), b.rank()) })
	said := false
	for _, s := range sections {
		if rows := page.Rows(s.rows()); rows != "" {
			out.WriteString("\n" + page.Paint(layout.Bold, s.Title) + "\n" + rows)
			said = true
		}
	}
	if !said && page.ProblemsOnly {
		out.WriteString("\nno problems\n")
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("writing what is known of %s: %w", e.Subject, err)
	}
	return nil
}

// rank is 0 where there are problems, else 1.
func (s Section) rank() int {
	if slices.ContainsFunc(s.Facts, func(f Fact) bool { return f.Problem }) {
		return 0
	}
	return 1
}

// mostOfWhy is how many bytes of a reason are shown. It may end with a command, which the longest of a cloud fits in.
const mostOfWhy = 4 * event.MostOfMessage

// rows are the facts for people.
func (s Section) rows() []layout.Row {
	var rows []layout.Row
	for _, f := range s.Facts {
		r := layout.Row{Name: printable(f.Name), Values: []string{printable(cloud.Shorten(f.Value, event.MostOfMessage))}, Problem: f.Problem}
		if f.Value == "" {
			r.Values = []string{`""`}
		}
		if f.Why != "" {
			r.Why = printable(cloud.Shorten(f.Why, mostOfWhy))
		}
		rows = append(rows, r)
	}
	return rows
}

func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
