package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// recording is a command of a page that a test records, and the name of its picture. Of a long one the middle is left out.
type recording struct {
	page, command, name string
	long                bool
}

// recordings are those that become pictures: of one cloud each command, of the others what they say before a switch.
var recordings = []recording{
	{page: "session-hcloud.md", command: "adopt", name: "adopt-hcloud"},
	{page: "session-hcloud.md", command: "plan", name: "plan"},
	{page: "session-hcloud.md", command: "explain service", name: "explain-service"},
	{page: "session-hcloud.md", command: "explain node", name: "explain-node"},
	{page: "session-hcloud.md", command: "doctor", name: "doctor", long: true},
	{page: "session-aws.md", command: "adopt", name: "adopt-aws"},
	{page: "session-digitalocean.md", command: "adopt", name: "adopt-digitalocean"},
	{page: "session-openstack.md", command: "adopt", name: "adopt-openstack"},
}

const (
	sessionColumns = 78
	// sessionRows is how many lines the picture of a long recording has. What is between its begin and its last lines is counted.
	sessionRows = 34
	// sessionEnd are the last lines of a recording that is longer.
	sessionEnd = 2
)

// drawStills draws each recording in each theme.
func drawStills(root string, into map[string][]byte) error {
	for _, rec := range recordings {
		path := filepath.Join("docs/reference", rec.page)
		page, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return fmt.Errorf("reading a recording: %w", err)
		}
		text, found := commandOf(string(page), rec.command)
		if !found {
			return fmt.Errorf("%s has no command that begins with %q: is it recorded under another name?", path, rec.command)
		}
		lines := strings.Split(text, "\n")
		if rec.long {
			lines = shortened(lines)
		}
		rows, err := painted(lines)
		if err != nil {
			return fmt.Errorf("drawing %s of %s: %w", rec.command, path, err)
		}
		for _, t := range themes {
			into[t.file(rec.name)] = still(t, sessionColumns, rows, "cloud-controller-manager "+rec.command)
		}
	}
	return nil
}

var shown = regexp.MustCompile("(?s)\n```text\n(\\$ cloud-controller-manager .*?)\n```\n")

// commandOf returns the first command of a page that begins with these words, and what it said.
func commandOf(page, words string) (text string, found bool) {
	for _, block := range shown.FindAllStringSubmatch(page, -1) {
		if strings.HasPrefix(block[1], "$ cloud-controller-manager "+words+" ") {
			return block[1], true
		}
	}
	return "", false
}

// shortened leaves out the middle of a long recording, and says how much that is.
func shortened(lines []string) []string {
	if len(lines) <= sessionRows {
		return lines
	}
	begin := sessionRows - sessionEnd - 1
	left := len(lines) - begin - sessionEnd
	return slices.Concat(lines[:begin], []string{fmt.Sprintf("%s%d lines more", more, left)}, lines[len(lines)-sessionEnd:])
}

// more begins the line that stands for those that are left out.
const more = "⋯ "

// painted returns the lines of a recording as a terminal shows them. One that has no place to break goes on below.
func painted(lines []string) ([]row, error) {
	height := 0
	for _, line := range lines {
		height += 1 + utf8.RuneCountInString(line)/(sessionColumns+1)
	}
	t := newTerminal(sessionColumns, height)
	if err := t.write(strings.Join(paint(lines), "\n")); err != nil {
		return nil, err
	}
	return t.screen(), nil
}

// colours are what the program paints on a terminal. Tests record it without one, where it does not: see layout.Page.Paint,
// doctor.Report.Text and plan.Report.Text.
var colours = []struct {
	pattern *regexp.Regexp
	sgr     string
}{
	{regexp.MustCompile(`^` + more + `.*`), "90"},
	{regexp.MustCompile(`^OK `), "32"},
	{regexp.MustCompile(`^ +\+ .*`), "32"},
	{regexp.MustCompile(`^ +~ .*`), "33"},
	{regexp.MustCompile(`^ +- .*`), "31"},
	{regexp.MustCompile(`^(\$ .*| {4}--.*|[A-Z][A-Za-z' ]+|(Service|Node) \S+|Plan: .*|[0-9]+ checks: .*)$`), "1"},
}

func paint(lines []string) []string {
	all, operation := slices.Clone(lines), ""
	for i, line := range lines {
		if operation != "" && strings.HasPrefix(line, goesOn) {
			all[i] = operation + line + "\x1b[0m"
			continue
		}
		operation = ""
		for _, c := range colours {
			if at := c.pattern.FindStringIndex(line); at != nil {
				sgr := "\x1b[" + c.sgr + "m"
				all[i] = line[:at[0]] + sgr + line[at[0]:at[1]] + "\x1b[0m" + line[at[1]:]
				if strings.HasPrefix(line, "  "+strings.TrimSpace(line)) {
					operation = sgr
				}
				break
			}
		}
	}
	return all
}

// goesOn begins the next line of an operation of a plan, which begins with two blanks.
const goesOn = "      "
