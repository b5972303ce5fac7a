// Package fold breaks lines of recorded output that are wider than the documentation's site shows.
package fold

import (
	"regexp"
	"strings"
)

// Width is how long a line of code may be.
const Width = 76

// further is how much what is left of a line is indented below it.
const further = 4

var fence = regexp.MustCompile("^ *```")

// Document breaks the lines in the blocks of code of a document.
func Document(text string) string {
	var b strings.Builder
	inCode := false
	for line := range strings.Lines(text) {
		if fence.MatchString(line) {
			inCode = !inCode
		}
		if content := strings.TrimSuffix(line, "\n"); inCode && len([]rune(content)) > Width {
			line = strings.Join(Line(content), "\n") + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// Line breaks a line: a command as a shell reads it, anything else before words, and where a word is too long, in it.
func Line(line string) []string {
	more := ""
	if strings.HasPrefix(line, "$ ") {
		more = ` \`
	}
	indent := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " "))+further)
	var lines []string
	left := []rune(line)
	for len(left) > Width {
		at := place(left, len(indent), Width-len(more))
		lines = append(lines, strings.TrimRight(string(left[:at]), " ")+more)
		left = []rune(indent + strings.TrimLeft(string(left[at:]), " "))
	}
	return append(lines, string(left))
}

// place returns where a line is broken, behind its indentation and at width at most.
func place(line []rune, indent, width int) int {
	for _, ends := range []string{" ", ",/="} {
		for at := width; at > indent; at-- {
			if end := at - 1; strings.ContainsRune(ends, line[end]) || ends == " " && line[at] == ' ' {
				return at
			}
		}
	}
	return width
}
