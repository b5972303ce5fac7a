package inspect

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

// ExplanationVersion is that of the JSON form of an Explanation.
const ExplanationVersion = 1

// Explanation is what is known of one object, and why.
type Explanation struct {
	Version int `json:"version"`
	// Subject is the object, such as "Node worker-1".
	Subject  string    `json:"subject"`
	Sections []Section `json:"sections"`
}

// Section is a part of an Explanation.
type Section struct {
	Title string `json:"title"`
	Facts []Fact `json:"facts"`
}

// Fact is one thing that is known.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Why says where it comes from, or what follows.
	Why string `json:"why,omitempty"`
	// Problem says that somebody has to look after it.
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

// Text writes the explanation for people, a line for each fact; "!" marks a problem. Control
// characters are escaped: values come from objects that anybody may have written.
func (e Explanation) Text(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\n", printable(e.Subject))
	for _, s := range e.Sections {
		fmt.Fprintf(table, "\n%s\n", s.Title)
		for _, f := range s.Facts {
			sign, why := " ", ""
			if f.Problem {
				sign = "!"
			}
			if f.Why != "" {
				why = "\t(" + printable(f.Why) + ")"
			}
			value := f.Value
			if value == "" {
				value = `""`
			}
			fmt.Fprintf(table, "%s %s\t%s%s\n", sign, printable(f.Name), printable(value), why)
		}
	}
	return table.Flush()
}

func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
