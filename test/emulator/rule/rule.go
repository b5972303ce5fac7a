// Package rule is the table of the rules that an emulator keeps by hand, because no description of the API that
// programs can read has them.
package rule

import (
	"fmt"
	"slices"
	"strings"
)

// Rule is something that a request must keep, or that the emulator does, with where it is from.
type Rule struct {
	// ID is "kind/what". Where says which calls it is about.
	ID, Where string
	Text      string
	// Source is one of the constants.
	Source string
	// IfWrong says what would change if a guess is wrong.
	IfWrong string
	// Status and Code are the answer, those of the Table when zero. A Silent rule refuses nothing.
	Status int
	Code   string
	Silent bool
}

// Where rules are from.
const (
	// Document is a description that programs can read, such as a discovery document.
	Document = "document"
	// Vendor is the vendor's pages and tools, Client the vendor's Go library.
	Vendor = "vendor"
	Client = "client"
	// Upstream is what the vendor's own CCM relies on.
	Upstream = "upstream"
	Guess    = "guess"
)

// Table is all rules of an emulator.
type Table struct {
	rules  []Rule
	status int
	code   string
}

// New returns a table. Status and code are the answer of rules that have none. A rule that is there twice is a bug.
func New(status int, code string, lists ...[]Rule) *Table {
	t := &Table{slices.Concat(lists...), status, code}
	for n, rule := range t.rules {
		if slices.ContainsFunc(t.rules[:n], func(other Rule) bool { return other.ID == rule.ID }) {
			panic("rule " + rule.ID + " is there twice")
		}
	}
	return t
}

// Rules returns all rules, in their order.
func (t *Table) Rules() []Rule { return t.rules }

// Broken returns the rule that a request broke, with its answer. One that is not in the table is a bug.
func (t *Table) Broken(id string) Rule {
	n := slices.IndexFunc(t.rules, func(rule Rule) bool { return rule.ID == id && !rule.Silent })
	if n < 0 {
		panic("no rule " + id)
	}
	return t.answered(t.rules[n])
}

func (t *Table) answered(rule Rule) Rule {
	if rule.Status == 0 {
		rule.Status = t.status
	}
	if rule.Code == "" {
		rule.Code = t.code
	}
	return rule
}

// Markdown returns the table for people, and that of the guesses.
func (t *Table) Markdown() string {
	var out strings.Builder
	out.WriteString("| rule | where | what must hold | source | answer |\n|---|---|---|---|---|\n")
	for _, rule := range t.rules {
		answer := "–"
		if !rule.Silent {
			answered := t.answered(rule)
			answer = fmt.Sprintf("%d %s", answered.Status, answered.Code)
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s |\n", rule.ID, rule.Where, rule.Text, rule.Source, answer)
	}
	out.WriteString("\n### Guesses\n\n| rule | if it is wrong |\n|---|---|\n")
	for _, rule := range t.rules {
		if rule.Source == Guess {
			fmt.Fprintf(&out, "| %s | %s |\n", rule.ID, rule.IfWrong)
		}
	}
	return out.String()
}
