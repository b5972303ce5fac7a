package doctor

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

// ReportVersion is that of the JSON form.
const ReportVersion = 1

// Result is a check with its outcome.
type Result struct {
	ID    string `json:"id"`
	Scope Scope  `json:"scope"`
	Outcome
	Link string `json:"link"`
}

// Report are all results, in the order in which things depend on each other: the first failure is
// the one to mend first.
type Report []Result

// Document is the JSON form of a Report.
type Document struct {
	Version int            `json:"version"`
	Summary map[string]int `json:"summary"`
	Checks  Report         `json:"checks"`
}

// Document returns the report in its JSON form.
func (r Report) Document() Document {
	summary := map[string]int{}
	for _, level := range []Level{OK, Warning, Failure, Skipped} {
		summary[string(level)] = r.count(level)
	}
	return Document{Version: ReportVersion, Summary: summary, Checks: r}
}

// Failed reports whether something is wrong that does not go away by itself.
func (r Report) Failed() bool { return r.count(Failure) > 0 }

// Find returns the result of a check, false when it was not made.
func (r Report) Find(id string) (Result, bool) {
	at := slices.IndexFunc(r, func(result Result) bool { return result.ID == id })
	if at < 0 {
		return Result{}, false
	}
	return r[at], true
}

func (r Report) count(level Level) int {
	n := 0
	for _, result := range r {
		if result.Level == level {
			n++
		}
	}
	return n
}

// Text prints the report for people: a line for each check, under it the evidence, what to do and
// where to read more. Checks that could not be made for the same reason share a line at the end where they are more than
// mostSkipped. Control characters are escaped: texts come from objects that anybody may have written.
func (r Report) Text(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	skipped, reasons := r.skipped()
	for _, result := range r {
		if result.Level == Skipped && skipped[result.Message] > mostSkipped {
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", strings.ToUpper(string(result.Level)), result.ID, printable(result.Message))
		if result.Level == OK || result.Level == Skipped {
			continue
		}
		for _, line := range result.Evidence {
			fmt.Fprintf(table, "\t\t- %s\n", printable(line))
		}
		if result.Fix != "" {
			fmt.Fprintf(table, "\t\tfix: %s\n", printable(result.Fix))
		}
		fmt.Fprintf(table, "\t\tsee: %s\n", result.Link)
	}
	for _, reason := range reasons {
		if skipped[reason] > mostSkipped {
			fmt.Fprintf(table, "%s\t%s\t%s\n", strings.ToUpper(string(Skipped)), plural(skipped[reason], "check"), printable(reason)+"; -o json names them")
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s: %d ok, %s, %s, %d could not be made\n",
		plural(len(r), "check"), r.count(OK), plural(r.count(Warning), "warning"), plural(r.count(Failure), "failure"), r.count(Skipped))
	return err
}

// mostSkipped is how many checks that could not be made for the same reason have a line each.
const mostSkipped = 3

// skipped counts the checks that could not be made, by their reasons, which are in the order of the checks.
func (r Report) skipped() (count map[string]int, reasons []string) {
	count = map[string]int{}
	for _, result := range r {
		if result.Level != Skipped {
			continue
		}
		if count[result.Message]++; count[result.Message] == 1 {
			reasons = append(reasons, result.Message)
		}
	}
	return count, reasons
}

func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return '\uFFFD'
	}, strings.ReplaceAll(text, "\n", "; "))
}

// The form of JUnit's reports, as far as pipelines read it.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string       `xml:"name,attr"`
		Class   string       `xml:"classname,attr"`
		Failure *junitReason `xml:"failure"`
		Skipped *junitReason `xml:"skipped"`
		Out     string       `xml:"system-out,omitempty"`
	}
	junitReason struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit prints the report as a test suite. A warning is a test that passes and says something.
func (r Report) JUnit(out io.Writer) error {
	suite := junitSuite{Name: "doctor", Tests: len(r), Failures: r.count(Failure), Skipped: r.count(Skipped)}
	for _, result := range r {
		c := junitCase{Name: result.ID, Class: "doctor." + string(result.Scope)}
		lines := append([]string{result.Message}, result.Evidence...)
		if result.Fix != "" {
			lines = append(lines, "fix: "+result.Fix, "see: "+result.Link)
		}
		text := strings.Join(lines, "\n")
		switch result.Level {
		case Failure:
			c.Failure = &junitReason{Message: result.Message, Text: text}
		case Skipped:
			c.Skipped = &junitReason{Message: result.Message}
		case Warning:
			c.Out = "warning: " + text
		case OK:
			c.Out = result.Message
		}
		suite.Cases = append(suite.Cases, c)
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(out)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suite); err != nil {
		return fmt.Errorf("writing the report as JUnit: %w", err)
	}
	_, err := io.WriteString(out, "\n")
	return err
}

// names lists the first few of many.
func names(all []string) string {
	const most = 3
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:most], ", "), len(all)-most)
}

// plural is "1 Node" or "2 Nodes".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
