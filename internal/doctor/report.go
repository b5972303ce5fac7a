package doctor

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// ReportVersion is that of the JSON form.
const ReportVersion = 1

// Result is a check with its outcome.
type Result struct {
	// ID is the stable name of the check.
	ID    string `json:"id"`
	Scope Scope  `json:"scope"`
	Outcome
	// Link is where the check is documented.
	Link string `json:"link"`
}

// Report are all results, in the order in which things depend on each other: the first failure is
// the one to mend first.
type Report []Result

// Document is the JSON form of a Report.
type Document struct {
	Version int `json:"version"`
	// Summary is the number of checks of each level.
	Summary map[Level]int `json:"summary"`
	Checks  Report        `json:"checks"`
}

// Document returns the report in its JSON form.
func (r Report) Document() Document {
	summary := map[Level]int{}
	for _, level := range []Level{OK, Warning, Failure, Skipped} {
		summary[level] = r.count(level)
	}
	return Document{Version: ReportVersion, Summary: summary, Checks: r}
}

// Failed reports whether something is wrong that does not go away by itself, or nothing could be checked.
func (r Report) Failed() bool {
	return r.count(Failure) > 0 || len(r) > 0 && r.count(Skipped) == len(r)
}

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
